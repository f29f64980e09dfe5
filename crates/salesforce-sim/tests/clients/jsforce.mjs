// jsforce as a program uses it: one operation a run, its outcome as JSON.
//
// node jsforce.mjs FOLDER OPERATION    where and how to log in comes as JSON on standard input

import { createSign, generateKeyPairSync } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const [folder, operation] = process.argv.slice(2);
const { Connection } = createRequire(`${folder}/`)('jsforce');
const told = JSON.parse(readFileSync(0, 'utf8'));

const version = '62.0';
const oauth2 = { loginUrl: told.url, clientId: told.client_id, clientSecret: told.client_secret };

async function connect(how = { grant_type: 'client_credentials' }, over = {}) {
  const connection = new Connection({ version, loginUrl: told.url, oauth2: { ...oauth2, ...over } });
  await connection.authorize(how);
  connection.bulk2.pollInterval = 50;
  return connection;
}

const bearer = 'urn:ietf:params:oauth:grant-type:jwt-bearer';

async function connectToRefresh() {
  const connection = await connect();
  connection.refreshToken = told.refresh_token;
  return connection;
}

// jsforce takes any assertion and leaves its making to others.
function assertion(key = readFileSync(told.key_file)) {
  const part = (value) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const claims = {
    iss: told.client_id,
    sub: told.username,
    aud: 'https://login.salesforce.com',
    exp: Math.floor(Date.now() / 1000) + 180,
  };
  const signed = `${part({ alg: 'RS256' })}.${part(claims)}`;
  const signature = createSign('RSA-SHA256').update(signed).sign(key);
  return `${signed}.${signature.toString('base64url')}`;
}

async function organization(connection) {
  const found = await connection.query('SELECT Id, Name FROM Organization');
  return { name: found.records[0].Name, same_id: found.records[0].Id === connection.userInfo.organizationId };
}

async function bulk(connection, job, rows) {
  const running = connection.bulk2.createJob(job);
  await running.open();
  await running.uploadData(rows);
  await running.close();
  await running.poll();
  const { successfulResults, failedResults, unprocessedRecords } = await running.getAllResults();
  const { numberRecordsProcessed: processed, numberRecordsFailed: failed } = await running.check();
  return {
    counted: { processed, failed },
    successful: successfulResults,
    failed: failedResults,
    unprocessed: unprocessedRecords,
  };
}

const contacts = { object: 'Contact', operation: 'upsert', externalIdFieldName: 'ExternalId__c' };

function contact(number) {
  const digits = String(number).padStart(4, '0');
  return { ExternalId__c: `C-${digits}`, LastName: `Name "${digits}", Zoë`, Version__c: 1 };
}

function range(count) {
  return Array.from({ length: count }, (_, index) => index + 1);
}

// What the client makes of an error is what a program sees of it.
async function mistake(doing) {
  try {
    await doing();
    return 'no error';
  } catch (error) {
    return { kind: error.constructor.name, code: error.errorCode ?? error.name, message: error.message };
  }
}

const operations = {
  async authenticates_with_client_credentials() {
    return organization(await connect());
  },

  async authenticates_with_jwt_bearer() {
    return organization(await connect({ grant_type: bearer, assertion: assertion() }));
  },

  // With a token from elsewhere it has to ask who it is.
  async learns_who_it_is() {
    const { accessToken } = await connect();
    const connection = new Connection({ version, instanceUrl: told.url, accessToken });
    const { username, active } = await connection.identity();
    return { username, active };
  },

  async upserts_one_record() {
    const connection = await connect();
    const results = [];
    for (const Version__c of [1, 2]) {
      const record = { ExternalId__c: 'C-1', LastName: 'Ames', Version__c };
      results.push(await connection.sobject('Contact').upsert(record, 'ExternalId__c'));
    }
    const read = await connection.sobject('Contact').retrieve(results[0].id);
    return { results, read: { LastName: read.LastName, Version__c: read.Version__c } };
  },

  async upserts_a_collection_with_a_bad_row() {
    const connection = await connect();
    const records = [
      { ExternalId__c: 'C-1', LastName: 'Ames' },
      { ExternalId__c: 'C-2', FirstName: 'Nameless' },
      { ExternalId__c: 'C-3', LastName: 'Cole' },
    ];
    return connection.sobject('Contact').upsert(records, 'ExternalId__c');
  },

  async runs_a_composite_with_references() {
    const connection = await connect();
    const objects = `/services/data/v${version}/sobjects`;
    return connection.requestPost('/composite', {
      allOrNone: true,
      compositeRequest: [
        { method: 'POST', url: `${objects}/Account`, referenceId: 'account', body: { Name: 'Ames & Co' } },
        {
          method: 'PATCH',
          url: `${objects}/Contact/ExternalId__c/C-1`,
          referenceId: 'contact',
          body: { LastName: 'Ames', AccountId: '@{account.id}' },
        },
        {
          method: 'GET',
          url: `${objects}/Contact/@{contact.id}?fields=AccountId`,
          referenceId: 'read',
        },
      ],
    });
  },

  async runs_a_bulk_job_with_good_and_bad_rows() {
    const connection = await connect();
    await bulk(connection, contacts, [contact(1)]);
    const rows = range(250).map(contact);
    rows[9].LastName = '';
    rows[19].LastName = 'x'.repeat(81);
    return bulk(connection, contacts, rows);
  },

  async reads_unprocessed_rows_of_a_bulk_job() {
    return bulk(await connect(), contacts, range(500).map(contact));
  },

  async deletes_one_by_one_and_in_bulk() {
    const connection = await connect();
    const created = await connection.sobject('Contact').create(range(4).map(contact));
    const [one, two, three, four] = created.map((result) => result.id);
    const single = await connection.sobject('Contact').destroy(one);
    const several = await connection.sobject('Contact').destroy([two, three]);
    const { successful } = await bulk(connection, { object: 'Contact', operation: 'delete' }, [{ Id: four }]);
    const left = await connection.query('SELECT Id FROM Contact');
    return {
      deleted: [single, ...several].map((result) => result.success),
      bulk: successful.length,
      left: left.totalSize,
    };
  },

  async queries_more_than_one_page() {
    const connection = await connect();
    await bulk(connection, contacts, range(2500).map(contact));
    const pages = [];
    const seen = new Set();
    let page = await connection.query('SELECT Id, ExternalId__c FROM Contact');
    const total = page.totalSize;
    for (;;) {
      pages.push(page.records.length);
      page.records.forEach((record) => seen.add(record.ExternalId__c));
      if (page.done) break;
      page = await connection.queryMore(page.nextRecordsUrl);
    }
    return { total, pages, distinct: seen.size };
  },

  async reads_limits() {
    const connection = await connect();
    const { DailyApiRequests } = await connection.limits();
    const { used, limit } = connection.limitInfo.apiUsage;
    return { daily: DailyApiRequests, header: { used, limit } };
  },

  async describes_objects_and_fields() {
    const connection = await connect();
    const all = await connection.describeGlobal();
    const { name, keyPrefix, fields } = await connection.describe('Contact');
    return { objects: all.sobjects.map((object) => object.name), name, keyPrefix, fields };
  },

  async is_told_its_mistakes() {
    const connection = await connect();
    const upsert = (object, record, field = 'ExternalId__c') => () =>
      connection.sobject(object).upsert({ ExternalId__c: 'C-1', ...record }, field);
    const good = { LastName: 'Ames' };
    const stranger = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
    const twins = range(2).map((number) => ({ ...contact(number), Legacy__c: 'L-1' }));
    await connection.sobject('Contact').create(twins);
    return {
      key: await mistake(() => connect({ grant_type: bearer, assertion: assertion(stranger) })),
      secret: await mistake(() => connect(undefined, { clientSecret: 'wrong' })),
      object: await mistake(upsert('Nothing__c', good)),
      field: await mistake(upsert('Contact', { ...good, Nothing__c: 1 })),
      value: await mistake(upsert('Contact', {})),
      twins: await mistake(upsert('Contact', { Legacy__c: 'L-1', ...good }, 'Legacy__c')),
      query: await mistake(() => connection.query('SELECT Nothing__c FROM Contact')),
      job: await mistake(() => bulk(connection, { ...contacts, object: 'Nothing__c' }, [good])),
      column: await mistake(() => bulk(connection, contacts, [{ ...contact(1), Nothing__c: 1 }])),
    };
  },

  async refreshes_a_session_that_was_revoked() {
    const connection = await connectToRefresh();
    const { created } = await connection.sobject('Contact').upsert(contact(1), 'ExternalId__c');
    return { created };
  },

  async refreshes_a_session_inside_a_bulk_job() {
    const connection = await connectToRefresh();
    const { counted } = await bulk(connection, contacts, range(3).map(contact));
    return { counted };
  },
};

console.log(JSON.stringify(await operations[operation]()));
