import type { Command } from './command.ts';

const logLevels = ['debug', 'info', 'warn', 'error', 'silent'];
const jsonLines = { json: { about: 'one JSON object a line' } };
const json = { json: { about: 'as JSON' } };

/** All that `weir` can be told to do, in the order in which help lists it. */
export const commands: readonly Command[] = [
  {
    name: 'serve',
    summary: 'start the gateway (what happens without a command, too)',
    about: 'It runs until SIGTERM or SIGINT, and finishes open calls first. A second signal ends it at once.',
    run: async ({ environment }) => (await import('./serve.ts')).serve(environment),
  },
  {
    name: 'doctor',
    summary: 'look for what is wrong: settings, stores, providers, mail, Stripe, clock, disk, permissions',
    about:
      'It changes nothing, and may be run beside a gateway. Each line says ok, warn or fail, and what to do. The exit code is 1 if something fails.',
    flags: { ...json, offline: { about: 'ask neither providers nor the mail server nor Stripe' } },
    run: async (commandInput) => (await import('./doctor.ts')).doctor(commandInput),
  },
  {
    name: 'backup',
    summary: 'copy the embedded database into a file, while the gateway runs',
    about:
      'The copy is whole and checked. The secret is not in it: keep data/secret, or WEIR_SECRET, in another place. With DATABASE_URL use pg_dump.',
    positionals: [{ name: 'file', isFile: true }],
    flags: { force: { about: 'replace a file that is there' } },
    run: async (commandInput) => (await import('./backup.ts')).backup(commandInput),
  },
  {
    name: 'restore',
    summary: 'put a backup in the place of the embedded database; no gateway may be running on it',
    about:
      'The backup is checked first. It needs the secret that it was made under: in data/secret, in WEIR_SECRET or in WEIR_SECRET_PREVIOUS.',
    positionals: [{ name: 'file', isFile: true }],
    flags: {
      'other-secret': { about: 'go on without its secret: stored provider keys and sessions are lost' },
    },
    run: async (commandInput) => (await import('./restore.ts')).restore(commandInput),
  },
  {
    name: 'report',
    summary: 'tell how the running gateway is doing, without secrets or content, as JSON',
    about: 'An entry for each process of the gateway on this data folder.',
    run: async (commandInput) => (await import('./report.ts')).report(commandInput),
  },
  {
    name: 'log-level',
    summary: 'tell or set the log level of the running gateway, until its end',
    positionals: [{ name: 'level', choices: logLevels, isOptional: true }],
    run: async (commandInput) => (await import('./log-level.ts')).logLevel(commandInput),
  },
  {
    name: 'reseal',
    summary: 'seal all stored provider keys anew, after WEIR_SECRET was changed',
    run: async ({ environment }) => (await import('./reseal-keys.ts')).resealKeys(environment),
  },
  {
    name: 'users list',
    summary: 'list accounts',
    flags: jsonLines,
    run: async (commandInput) => (await import('./users.ts')).list(commandInput),
  },
  {
    name: 'users create',
    summary: 'make an account',
    positionals: [{ name: 'email' }],
    flags: {
      'password-stdin': { about: 'read its password from standard input; else one is made and told' },
    },
    run: async (commandInput) => (await import('./users.ts')).create(commandInput),
  },
  {
    name: 'users disable',
    summary: 'close an account: its keys and sessions stop working',
    positionals: [{ name: 'email' }],
    run: async (commandInput) => (await import('./users.ts')).disable(commandInput),
  },
  {
    name: 'users enable',
    summary: 'open it again',
    positionals: [{ name: 'email' }],
    run: async (commandInput) => (await import('./users.ts')).enable(commandInput),
  },
  {
    name: 'users set-tier',
    summary: 'put an account on a tier',
    positionals: [{ name: 'email' }, { name: 'tier', choices: ['free', 'pro', 'team'] }],
    run: async (commandInput) => (await import('./users.ts')).setTier(commandInput),
  },
  {
    name: 'users reset',
    summary: 'make a link to set a new password with',
    positionals: [{ name: 'email' }],
    run: async (commandInput) => (await import('./users.ts')).reset(commandInput),
  },
  {
    name: 'keys list',
    summary: 'list the API keys of an account',
    positionals: [{ name: 'email' }],
    flags: jsonLines,
    run: async (commandInput) => (await import('./keys.ts')).list(commandInput),
  },
  {
    name: 'keys revoke',
    summary: 'revoke an API key',
    positionals: [{ name: 'id, or how the key begins' }],
    run: async (commandInput) => (await import('./keys.ts')).revoke(commandInput),
  },
  {
    name: 'billing reconcile',
    summary: 'compare tiers and credits with the payment processor’s record',
    flags: { repair: { about: 'put right what differs' }, ...json },
    run: async (commandInput) => (await import('./billing.ts')).reconcileBilling(commandInput),
  },
  {
    name: 'verify-receipt',
    summary: 'check the signature of a receipt, offline where both are files',
    positionals: [{ name: 'file or address', isFile: true }],
    flags: {
      keys: { value: 'file or address', about: 'the keys to check with; an address has its own' },
    },
    run: async (commandInput) => (await import('./verify-receipt.ts')).verifyReceipt(commandInput),
  },
  {
    name: 'completion',
    summary: 'print a script by which a shell completes these commands',
    about:
      'bash: source <(weir completion bash)\nzsh:  source <(weir completion zsh), behind compinit\nfish: weir completion fish | source',
    positionals: [{ name: 'shell', choices: ['bash', 'zsh', 'fish'] }],
    run: async (commandInput) => (await import('./completion.ts')).completion(commandInput),
  },
];
