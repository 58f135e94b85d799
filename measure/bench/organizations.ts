// What the pages of a large organization ask the gateway: 10,000 members, 1,000 projects with ten keys each, three of which
// are used each day of a month.
// npm run bench:organizations, in SQLite and in PostgreSQL (--only sqlite, --only postgres).
import { parseArgs } from 'node:util';
import type { Database } from '../../src/kernel/ports/records.ts';
import { startTestGateway } from '../../src/testing/test-gateway.ts';
import { someDay } from '../../test/conformance/database/samples.ts';
import { at } from '../../test/support/at.ts';
import { Person } from '../../test/support/cloud.ts';
import { type MeasuredDatabase, onEachDatabase, printCosts } from './each-database.ts';
import { numberOption } from './number-option.ts';

const { values: set } = parseArgs({
  options: {
    members: { type: 'string', default: '10000' },
    projects: { type: 'string', default: '1000' },
    days: { type: 'string', default: '30' },
    rounds: { type: 'string', default: '9' },
    only: { type: 'string' },
  },
});
const members = numberOption('members', set.members);
const projects = numberOption('projects', set.projects);
const days = numberOption('days', set.days);
const rounds = numberOption('rounds', set.rounds);
const keysOfProject = 10;
const activeKeysOfProject = 3;
const membersOfProject = 20;
const dayMs = 86_400_000;
const idOf = (kind: 'a' | 'b' | 'c', at: number) =>
  `${kind.repeat(8)}-0000-4000-8000-${String(at).padStart(12, '0')}`;
const project = idOf('a', 7);

await onEachDatabase(set.only, async (measured) => {
  const nowMs = Date.now();
  const first = await startTestGateway(measured.environment);
  const person = await Person.signUp(first.url);
  const created = await person.call({ path: '/v1/organizations', body: { name: 'Acme' } });
  const account = String(created.json.id);
  const session = await person.call({ path: `/v1/organizations/${account}/session`, body: {} });
  await first.close();
  await fillTables(measured, { account, nowMs });
  const database = await measured.open();
  await fillUsage(database, { account, nowMs });
  await database.close();
  await measured.settle();
  const weir = await startTestGateway(measured.environment);
  const day = (ago: number) => new Date(nowMs - ago * dayMs).toISOString().slice(0, 10);
  const month = `from=${day(29)}&to=${day(0)}`;
  console.log(
    `\n${measured.name}: ${members} members, ${projects} projects, ${projects * keysOfProject} keys`,
  );
  await printCosts(measured, {
    url: weir.url,
    token: String(at(session.json, 'token')),
    rounds,
    requests: [
      ['Organization', '/v1/organization'],
      ['Members', '/v1/organization/members?limit=100'],
      ['Members by a part of the address', '/v1/organization/members?limit=100&search=member99'],
      ['Members, nobody found', '/v1/organization/members?limit=100&search=nobody'],
      ['Projects', '/v1/organization/projects?limit=100'],
      ['Projects by a part of the name', '/v1/organization/projects?limit=100&search=roject%2099'],
      ['Members of a project', `/v1/organization/projects/${project}/members?limit=100`],
      ['Keys of a project', `/v1/keys?project=${project}`],
      ['Keys, all', '/v1/keys'],
      ['Requests of a project', `/v1/requests?limit=100&project=${project}`],
      ['Usage of a project, a month', `/v1/usage?${month}&project=${project}`],
      ['Usage, a month', `/v1/usage?${month}`],
      ['Usage by project, a month', `/v1/usage/projects?${month}`],
      ['Budgets', '/v1/organization/budgets'],
      ['Audit log', '/v1/audit'],
    ],
  });
  await weir.close();
});

interface Filled {
  readonly account: string;
  readonly nowMs: number;
}

async function fillTables({ query }: MeasuredDatabase, { account, nowMs }: Filled): Promise<void> {
  const insert = async (into: string, count: number, row: (at: number) => string) => {
    for (let from = 0; from < count; from += 1000) {
      const size = Math.min(1000, count - from);
      await query(
        `insert into ${into} values ${Array.from({ length: size }, (_, of) => row(from + of)).join(', ')}`,
      );
    }
  };
  await insert('identities (id, email, email_folded, created_at_ms)', members, (at) => {
    const email = `member${at}@example.com`;
    return `('${idOf('b', at)}', '${email}', '${email}', ${nowMs})`;
  });
  await insert(
    'memberships (identity_id, account_id, role, created_at_ms)',
    members,
    (at) => `('${idOf('b', at)}', '${account}', 'member', ${nowMs + at})`,
  );
  await insert(
    'projects (id, account_id, name, created_at_ms)',
    projects,
    (at) => `('${idOf('a', at)}', '${account}', 'Project ${at}', ${nowMs + at})`,
  );
  await insert(
    'project_members (project_id, member_id, account_id, role, created_at_ms)',
    projects * membersOfProject,
    (at) =>
      `('${idOf('a', Math.floor(at / membersOfProject))}', '${idOf('b', at % members)}', '${account}', 'developer', ${nowMs})`,
  );
  await insert(
    'api_keys (id, account_id, prefix, hash, name, created_at_ms, receipts, project_id)',
    projects * keysOfProject,
    (at) =>
      `('${idOf('c', at)}', '${account}', 'gw_live_${at}', 'none', 'key ${at}', ${nowMs}, 0, '${idOf('a', Math.floor(at / keysOfProject))}')`,
  );
}

/** Three of ten keys call one model a day. */
async function fillUsage({ usage }: Database, { account, nowMs }: Filled): Promise<void> {
  for (let ago = 0; ago < days; ago++) {
    const day = new Date(nowMs - ago * dayMs).toISOString().slice(0, 10);
    await usage.add({
      id: `bench-${ago}`,
      atMs: nowMs,
      counted: [],
      days: Array.from({ length: projects * activeKeysOfProject }, (_, at) => {
        const key = Math.floor(at / activeKeysOfProject) * keysOfProject + ((at + ago) % keysOfProject);
        return someDay({ accountId: account, keyId: idOf('c', key), day, model: `model-${key % 20}` });
      }),
    });
  }
}
