import type { Command } from './command.ts';

/** The commands of evidence bundles. The longer name comes first, so that it is found. */
export const evidenceCommands: readonly Command[] = [
  {
    name: 'evidence verify',
    summary: 'find changed, missing, added and moved lines of an evidence bundle, offline',
    positionals: [{ name: 'file', isFile: true }],
    flags: {
      keys: { value: 'file or URL', about: 'the public keys, from /.well-known/jwks.json of the gateway' },
    },
    run: async (commandInput) => (await import('./evidence.ts')).verify(commandInput),
  },
  {
    name: 'evidence',
    summary: 'write a signed file for auditors, about the instance or an account',
    about:
      'It has settings without secrets, who has access to what, budgets, retention, legal holds, the state of the audit log, and the installed packages. The lines of an account are those of GET /v1/organization/evidence.',
    positionals: [
      { name: 'file', isFile: true },
      { name: 'email or id', isOptional: true },
    ],
    run: async (commandInput) => (await import('./evidence.ts')).exportEvidence(commandInput),
  },
];
