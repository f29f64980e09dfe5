// jsforce's bulk upload of a file of CSV, as a program would do it; how long it took, as JSON.
//
// node jsforce.mjs FOLDER CSV    where and how to log in comes as JSON on standard input

import { createReadStream, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { performance } from 'node:perf_hooks';

const [folder, file] = process.argv.slice(2);
const { Connection } = createRequire(`${folder}/`)('jsforce');
const told = JSON.parse(readFileSync(0, 'utf8'));

const oauth2 = { loginUrl: told.url, clientId: told.client_id, clientSecret: told.client_secret };
const connection = new Connection({ version: '62.0', loginUrl: told.url, oauth2 });
await connection.authorize({ grant_type: 'client_credentials' });

const begun = performance.now();
const results = await connection.bulk2.loadAndWaitForResults({
  object: 'Contact',
  operation: 'upsert',
  externalIdFieldName: 'ExternalId__c',
  input: createReadStream(file),
  // Half a minute is its default, after which it gives up. How often it asks is left as it is.
  pollTimeout: 600_000,
});
const millis = performance.now() - begun;

console.log(JSON.stringify({ millis, successful: results.successfulResults.length }));
