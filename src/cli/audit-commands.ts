import { type Command, jsonLines } from './command.ts';

const auditFlags = {
  account: { value: 'email or id', about: 'the chain of this account; that of the instance by default' },
  from: { value: 'time', about: 'entries since this time, or this day (UTC)' },
  to: { value: 'time', about: 'entries before this time, or this day (UTC)' },
};

/** The commands of the audit log. */
export const auditCommands: readonly Command[] = [
  {
    name: 'audit list',
    summary: 'list the audit log of the instance or of an account, the newest entries first',
    flags: {
      ...auditFlags,
      event: { value: 'names', about: 'only these events, separated by commas' },
      actor: { value: 'name', about: 'only what this one did, such as user:<id>, key:<id> or operator' },
      limit: { value: 'number', about: 'how many; 50 by default' },
      ...jsonLines,
    },
    run: async (commandInput) => (await import('./audit-log.ts')).list(commandInput),
  },
  {
    name: 'audit export',
    summary: 'print the audit log of the instance or of an account, or write it to a file',
    about: 'It begins and ends with a signed statement. The lines are those of GET /v1/audit/export.',
    positionals: [{ name: 'file', isFile: true, isOptional: true }],
    flags: { ...auditFlags, format: { value: 'jsonl|syslog', about: 'JSON lines, or RFC 5424' } },
    run: async (commandInput) => (await import('./audit-log.ts')).exportLog(commandInput),
  },
  {
    name: 'audit verify',
    summary: 'find changed, missing, added and moved entries of the audit log; works offline with a file',
    about:
      'Without a file it verifies the database: all chains, or that of an account. Statements that were signed with a secret before the last two need --keys.',
    positionals: [{ name: 'file', isFile: true, isOptional: true }],
    flags: {
      account: auditFlags.account,
      keys: { value: 'file or URL', about: 'the public keys, from /.well-known/jwks.json of the gateway' },
      earlier: {
        value: 'file',
        about: 'an earlier export, with which the file must agree',
        isRepeated: true,
      },
    },
    run: async (commandInput) => (await import('./audit-log.ts')).verify(commandInput),
  },
];
