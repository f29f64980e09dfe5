// An issuer of tokens: oidc-provider, told by lines what to do.
//
// Usage: node issuer.mjs FOLDER, where FOLDER has node_modules/oidc-provider. It prints `ready URL`, and answers each line:
// `rotate` signs with new keys from then on, `leave` answers nobody, `return` answers again.

import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';

const home = pathToFileURL(`${process.argv[2]}/node_modules/oidc-provider/lib/index.js`);
const { default: Provider } = await import(home);

// Who may ask for tokens, and the group that theirs name.
const GROUPS = { ann: ['crm-operators', 'staff'], eve: ['staff'], root: ['platform-admins'], bob: ['kitchen'] };

const kinds = [
  ['rsa', { modulusLength: 2048 }, {}],
  ['ec', { namedCurve: 'P-256' }, {}],
  ['ed25519', {}, {}],
];

function keys() {
  return kinds.map(([kind, options]) => {
    const { privateKey } = generateKeyPairSync(kind, options);
    return { ...privateKey.export({ format: 'jwk' }), kid: randomUUID(), use: 'sig' };
  });
}

function provider(issuer) {
  return new Provider(issuer, {
    jwks: { keys: keys() },
    clients: Object.keys(GROUPS).map((name) => ({
      client_id: name,
      client_secret: `${name}-secret`,
      grant_types: ['client_credentials'],
      redirect_uris: [],
      response_types: [],
    })),
    scopes: ['operate'],
    enabledJWA: { clientAuthSigningAlgValues: ['RS256'] },
    features: {
      clientCredentials: { enabled: true },
      devInteractions: { enabled: false },
      resourceIndicators: {
        enabled: true,
        // `urn:dipmo:ES256` is dipmo, with tokens that are signed so; `urn:shop:RS256` is somebody else.
        getResourceServerInfo(_, resource) {
          const [, audience, alg] = resource.split(':');
          return { audience, scope: 'operate', accessTokenFormat: 'jwt', accessTokenTTL: 300, jwt: { sign: { alg } } };
        },
      },
    },
    extraTokenClaims(_, token) {
      return { groups: GROUPS[token.clientId], email: `${token.clientId}@example.com` };
    },
  });
}

const server = createServer((request, response) => {
  if (away) {
    request.socket.destroy();
  } else {
    answer(request, response);
  }
});
let away = false;
server.listen(0, '127.0.0.1');
await new Promise((listening) => server.once('listening', listening));
const url = `http://127.0.0.1:${server.address().port}`;
let answer = provider(url).callback();
console.log(`ready ${url}`);

for await (const line of createInterface({ input: process.stdin })) {
  if (line === 'rotate') answer = provider(url).callback();
  away = line === 'leave';
  console.log(line);
}
process.exit(0);
