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
    run: async (given) => (await import('./doctor.ts')).doctor(given),
  },
  {
    name: 'backup',
    summary: 'copy the embedded database into a file, while the gateway runs',
    about:
      'The copy is whole and checked. The secret is not in it: keep data/secret, or WEIR_SECRET, in another place. With DATABASE_URL use pg_dump.',
    takes: [{ name: 'file', isFile: true }],
    flags: { force: { about: 'replace a file that is there' } },
    run: async (given) => (await import('./backup.ts')).backup(given),
  },
  {
    name: 'restore',
    summary: 'put a backup in the place of the embedded database; no gateway may be running on it',
    about:
      'The backup is checked first. It needs the secret that it was made under: in data/secret, in WEIR_SECRET or in WEIR_SECRET_PREVIOUS.',
    takes: [{ name: 'file', isFile: true }],
    flags: {
      'other-secret': { about: 'go on without its secret: stored provider keys and sessions are lost' },
    },
    run: async (given) => (await import('./restore.ts')).restore(given),
  },
  {
    name: 'report',
    summary: 'tell how the running gateway is doing, without secrets or content, as JSON',
    about: 'An entry for each process of the gateway on this data folder.',
    run: async (given) => (await import('./report.ts')).report(given),
  },
  {
    name: 'log-level',
    summary: 'tell or set the log level of the running gateway, until its end',
    takes: [{ name: 'level', choices: logLevels, isOptional: true }],
    run: async (given) => (await import('./log-level.ts')).logLevel(given),
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
    run: async (given) => (await import('./users.ts')).list(given),
  },
  {
    name: 'users create',
    summary: 'make an account',
    takes: [{ name: 'email' }],
    flags: {
      'password-stdin': { about: 'read its password from standard input; else one is made and told' },
    },
    run: async (given) => (await import('./users.ts')).create(given),
  },
  {
    name: 'users disable',
    summary: 'close an account: its keys and sessions stop working',
    takes: [{ name: 'email' }],
    run: async (given) => (await import('./users.ts')).disable(given),
  },
  {
    name: 'users enable',
    summary: 'open it again',
    takes: [{ name: 'email' }],
    run: async (given) => (await import('./users.ts')).enable(given),
  },
  {
    name: 'users set-tier',
    summary: 'put an account on a tier',
    takes: [{ name: 'email' }, { name: 'tier', choices: ['free', 'pro', 'team'] }],
    run: async (given) => (await import('./users.ts')).setTier(given),
  },
  {
    name: 'users reset',
    summary: 'make a link to set a new password with',
    takes: [{ name: 'email' }],
    run: async (given) => (await import('./users.ts')).reset(given),
  },
  {
    name: 'keys list',
    summary: 'list the API keys of an account',
    takes: [{ name: 'email' }],
    flags: jsonLines,
    run: async (given) => (await import('./keys.ts')).list(given),
  },
  {
    name: 'keys revoke',
    summary: 'revoke an API key',
    takes: [{ name: 'id, or how the key begins' }],
    run: async (given) => (await import('./keys.ts')).revoke(given),
  },
  {
    name: 'billing reconcile',
    summary: 'compare tiers and credits with the payment processor’s record',
    flags: { repair: { about: 'put right what differs' }, ...json },
    run: async (given) => (await import('./billing.ts')).reconcileBilling(given),
  },
  {
    name: 'verify-receipt',
    summary: 'check the signature of a receipt, offline where both are files',
    takes: [{ name: 'file or address', isFile: true }],
    flags: {
      keys: { value: 'file or address', about: 'the keys to check with; an address has its own' },
    },
    run: async (given) => (await import('./verify-receipt.ts')).verifyReceipt(given),
  },
  {
    name: 'completion',
    summary: 'print a script by which a shell completes these commands',
    about:
      'bash: source <(weir completion bash)\nzsh:  source <(weir completion zsh), behind compinit\nfish: weir completion fish | source',
    takes: [{ name: 'shell', choices: ['bash', 'zsh', 'fish'] }],
    run: async (given) => (await import('./completion.ts')).completion(given),
  },
];
