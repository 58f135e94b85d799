import { auditCommands } from './audit-commands.ts';
import { type Command, jsonLines } from './command.ts';
import { evidenceCommands } from './evidence-commands.ts';

const logLevels = ['debug', 'info', 'warn', 'error', 'silent'];
const account = { name: 'email or id' };
const keyFile = {
  'key-file': { value: 'file', about: 'a file with the passphrase, in place of WEIR_BACKUP_PASSPHRASE' },
};
const json = { json: { about: 'print JSON' } };

const movedAccount = {
  account: { value: 'email or id', about: 'the account, in cloud mode' },
  sections: { value: 'list', about: 'only these sections, such as patterns,log' },
  'passphrase-file': { value: 'file', about: 'a file with the passphrase of the provider keys' },
} as const;

/** All commands of `weir`, in the order of the help. */
export const commands: readonly Command[] = [
  {
    name: 'serve',
    summary: 'start the gateway (the default command)',
    about:
      'It runs until SIGTERM or SIGINT and then finishes open calls first. A second signal stops it immediately.',
    flags: {
      set: {
        value: 'name=value',
        isRepeated: true,
        about: 'a setting such as log.level=debug, which wins over environment and file',
      },
    },
    run: async ({ environment, lists }) => (await import('./serve.ts')).serve(environment, lists.set),
  },
  {
    name: 'init',
    summary: 'write a commented weir.yaml',
    about:
      'On a terminal it asks three questions: who uses the gateway, which providers, and what calls run through. It never replaces a file.',
    positionals: [{ name: 'file', isFile: true, isOptional: true }],
    flags: {
      mode: { value: 'local|cloud', about: 'one user, or accounts with API keys; local by default' },
      providers: { value: 'names', about: 'such as anthropic,openai; their keys come from the environment' },
      pipeline: { value: 'modules', about: 'such as exact-cache?ttl=10m,cost-guard?day=5' },
    },
    run: async (commandInput) => (await import('./init.ts')).init(commandInput),
  },
  {
    name: 'config check',
    summary: 'check the configuration file, and all settings with it',
    about:
      'It lists every fault with line and column, and changes nothing. Modules, pipelines and aliases are checked, too. The exit code is 1 if something is wrong.',
    positionals: [{ name: 'file', isFile: true, isOptional: true }],
    flags: { json: { about: 'print JSON' } },
    run: async (commandInput) => (await import('./config.ts')).checkConfig(commandInput),
  },
  {
    name: 'config show',
    summary: 'print every setting with its value and where it comes from, without secrets',
    flags: { all: { about: 'print those that have their default, too' }, json: { about: 'print JSON' } },
    run: async (commandInput) => (await import('./config.ts')).showConfig(commandInput),
  },
  {
    name: 'config schema',
    summary: 'print the JSON Schema of the configuration file, for editors',
    run: async () => (await import('./config.ts')).printSchema(),
  },
  {
    name: 'doctor',
    summary: 'check settings, stores, providers, mail, Stripe, clock, disk and permissions',
    about:
      'It changes nothing and can run while the gateway is running. Each line says ok, degraded or failing, and what to do. The exit code is 1 if a check is failing. The checks of a running gateway are listed, too.',
    flags: { ...json, offline: { about: 'do not contact providers, the mail server or Stripe' } },
    run: async (commandInput) => (await import('./doctor.ts')).doctor(commandInput),
  },
  {
    name: 'backup',
    summary: 'copy the embedded database into a file, while the gateway runs',
    about:
      'The copy is complete and checked, with its SHA-256 checksum beside it. It does not contain the secret: keep data/secret, or WEIR_SECRET, in another place. WEIR_BACKUP_PASSPHRASE or --key-file encrypts it. With DATABASE_URL use pg_dump.',
    positionals: [{ name: 'file', isFile: true }],
    flags: {
      force: { about: 'replace an existing file' },
      check: { about: 'check an existing backup instead of making one' },
      ...keyFile,
    },
    run: async (commandInput) => (await import('./backup.ts')).backup(commandInput),
  },
  {
    name: 'restore',
    summary: 'replace the embedded database with a backup; stop the gateway first',
    about:
      'The backup is checked first. It needs the secret that it was made with: in data/secret, in WEIR_SECRET or in WEIR_SECRET_PREVIOUS. Accounts that were deleted after the backup are deleted again.',
    positionals: [{ name: 'file', isFile: true }],
    flags: {
      drill: { about: 'only restore it into a temporary folder, check it there, and report' },
      'other-secret': { about: 'restore without its secret: stored provider keys and sessions are lost' },
      'with-deleted': { about: 'bring back accounts that were deleted after the backup, too' },
      ...keyFile,
    },
    run: async (commandInput) => (await import('./restore.ts')).restore(commandInput),
  },
  {
    name: 'shrink',
    summary: 'return the space of deleted rows in the embedded database to the disk',
    about:
      'It works while the gateway runs. A file that an earlier version made is written anew once, while the gateway is stopped, and needs twice its size of free disk.',
    run: async (commandInput) => (await import('./shrink.ts')).shrink(commandInput),
  },
  {
    name: 'report',
    summary: 'print the status of the running gateway as JSON, without secrets or content',
    about: 'It has one entry for each gateway process on this data folder.',
    run: async (commandInput) => (await import('./report.ts')).report(commandInput),
  },
  {
    name: 'log-level',
    summary: 'print or set the log level of the running gateway, until it stops',
    positionals: [{ name: 'level', choices: logLevels, isOptional: true }],
    run: async (commandInput) => (await import('./log-level.ts')).logLevel(commandInput),
  },
  {
    name: 'reseal',
    summary: 're-encrypt stored provider keys and authorizations after WEIR_SECRET was changed',
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
    summary: 'create an account',
    positionals: [{ name: 'email' }],
    flags: {
      'password-stdin': {
        about: 'read the password from standard input; by default one is generated and printed',
      },
    },
    run: async (commandInput) => (await import('./users.ts')).create(commandInput),
  },
  {
    name: 'users disable',
    summary: 'disable an account: its keys and sessions stop working',
    positionals: [account],
    run: async (commandInput) => (await import('./users.ts')).disable(commandInput),
  },
  {
    name: 'users enable',
    summary: 'enable a disabled account again',
    positionals: [account],
    run: async (commandInput) => (await import('./users.ts')).enable(commandInput),
  },
  {
    name: 'users set-tier',
    summary: 'set the tier of an account',
    positionals: [account, { name: 'tier', choices: ['free', 'pro', 'team'] }],
    run: async (commandInput) => (await import('./users.ts')).setTier(commandInput),
  },
  {
    name: 'users reset',
    summary: 'create a password reset link',
    positionals: [account],
    run: async (commandInput) => (await import('./users.ts')).reset(commandInput),
  },
  {
    name: 'users second-factor-off',
    summary: 'let a person who lost their passkeys and recovery codes log in with the password alone',
    positionals: [account],
    run: async (commandInput) => (await import('./users.ts')).turnSecondFactorOff(commandInput),
  },
  {
    name: 'users invite',
    summary: 'create a link with which one address can sign up, where WEIR_SIGNUP is "invite"',
    about: 'The link works once. Another invitation of the same address replaces it.',
    positionals: [{ name: 'email' }],
    flags: { days: { value: 'number', about: 'how long it is valid; 7 by default' } },
    run: async (commandInput) => (await import('./invitations.ts')).invite(commandInput),
  },
  {
    name: 'users invitations',
    summary: 'list invitations that are still valid',
    flags: jsonLines,
    run: async (commandInput) => (await import('./invitations.ts')).listInvitations(commandInput),
  },
  {
    name: 'users uninvite',
    summary: 'revoke an invitation',
    positionals: [{ name: 'email' }],
    run: async (commandInput) => (await import('./invitations.ts')).uninvite(commandInput),
  },
  {
    name: 'users usage',
    summary: 'print calls, tokens and cost of accounts, with a total',
    about:
      'Without an account it lists all, the most expensive first. It covers the current month (UTC), or the days from --from to --to.',
    positionals: [{ ...account, isOptional: true }],
    flags: {
      from: { value: 'day', about: 'the first day, such as 2026-11-01' },
      to: { value: 'day', about: 'the last day' },
      per: { value: 'day|month', about: 'print a row for each day or month' },
      sort: { value: 'cost|calls|tokens', about: 'sort by this figure, the highest first' },
      ...jsonLines,
    },
    run: async (commandInput) => (await import('./user-usage.ts')).userUsage(commandInput),
  },
  {
    name: 'users export',
    summary: 'print all data of an account as JSON lines, or write it to a gzipped file',
    about: 'It has the lines that the owner gets from GET /v1/users/me/export.',
    positionals: [account, { name: 'file', isFile: true, isOptional: true }],
    run: async (commandInput) => (await import('./export-user.ts')).exportUser(commandInput),
  },
  {
    name: 'export',
    summary: 'write an account to a file that another instance imports',
    about:
      'A local gateway has one account; in cloud mode --account names one. It works while the gateway runs. Provider keys are in the file with --secrets only, encrypted with the passphrase in --passphrase-file: `age --decrypt` reads them, too.',
    positionals: [{ name: 'file', isFile: true }],
    flags: {
      ...movedAccount,
      secrets: { about: 'add provider keys, encrypted with a passphrase' },
      force: { about: 'replace an existing file' },
    },
    run: async (commandInput) => (await import('./export.ts')).exportFile(commandInput),
  },
  {
    name: 'import',
    summary: 'import a file of weir export into an account, as a whole or not at all',
    about:
      'It works while the gateway runs. Importing a file again changes nothing. Rows that differ from those of the account stay, unless --replace is given.',
    positionals: [{ name: 'file', isFile: true }],
    flags: {
      ...movedAccount,
      'dry-run': { about: 'only report what an import would do' },
      replace: { about: 'replace rows that differ from those of the file' },
      ...json,
    },
    run: async (commandInput) => (await import('./import.ts')).importFile(commandInput),
  },
  {
    name: 'users delete',
    summary: 'delete an account with all its data',
    about:
      'It cancels the subscription, revokes the keys and erases the data, as when the owner deletes the account.',
    positionals: [account],
    flags: { yes: { about: 'do not ask' } },
    run: async (commandInput) => (await import('./delete-user.ts')).deleteUser(commandInput),
  },
  {
    name: 'users deleted',
    summary: 'list the ids of deleted accounts',
    about: 'Keep the list of --json beside your backups: users delete-again applies it after a restore.',
    flags: jsonLines,
    run: async (commandInput) => (await import('./deleted-users.ts')).listDeleted(commandInput),
  },
  {
    name: 'users delete-again',
    summary: 'delete the accounts of a list by “users deleted --json”, after a restore',
    positionals: [{ name: 'file', isFile: true }],
    run: async (commandInput) => (await import('./deleted-users.ts')).deleteListed(commandInput),
  },
  {
    name: 'keys list',
    summary: 'list the API keys of an account',
    positionals: [account],
    flags: jsonLines,
    run: async (commandInput) => (await import('./keys.ts')).list(commandInput),
  },
  {
    name: 'keys revoke',
    summary: 'revoke an API key',
    positionals: [{ name: 'id or beginning of the key' }],
    run: async (commandInput) => (await import('./keys.ts')).revoke(commandInput),
  },
  {
    name: 'billing reconcile',
    summary: 'compare tiers and credits with the records of the payment processor',
    flags: { repair: { about: 'repair differences' }, ...json },
    run: async (commandInput) => (await import('./billing.ts')).reconcileBilling(commandInput),
  },
  ...auditCommands,
  ...evidenceCommands,
  {
    name: 'verify-receipt',
    summary: 'verify the signature of a receipt; works offline with files',
    positionals: [{ name: 'file or URL', isFile: true }],
    flags: {
      keys: {
        value: 'file or URL',
        about: 'the keys to verify with; by default those of the receipt’s gateway, if it is a URL',
      },
    },
    run: async (commandInput) => (await import('./verify-receipt.ts')).verifyReceipt(commandInput),
  },
  {
    name: 'completion',
    summary: 'print a shell completion script',
    about:
      'bash: source <(weir completion bash)\nzsh:  source <(weir completion zsh), after compinit\nfish: weir completion fish | source',
    positionals: [{ name: 'shell', choices: ['bash', 'zsh', 'fish'] }],
    run: async (commandInput) => (await import('./completion.ts')).completion(commandInput),
  },
];
