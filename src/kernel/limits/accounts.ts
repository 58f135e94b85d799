/** Accounts and their keys. */
export const accountsLimits = {
  /** Hashes of passwords at once: each holds 19 MiB and a core for 12 ms, and a thread of the four that files and zlib share. */
  passwordHashesAtOnce: 2,
  /** And this many wait, half a second's work; more are told to come back. */
  passwordHashesWaiting: 64,
  /** Checks of API keys at once, apart from passwords, so that a rush of logins can't keep calls waiting. */
  keyHashesAtOnce: 2,
  /** A tenth of a millisecond each, so that the last in the line waits for 50 ms. */
  keyHashesWaiting: 1000,
  /** A stolen session token works until then, and people have to log in again after it. */
  sessionLifeMs: 7 * 86_400_000,
  /** People have a few devices; scripts that log in and never out must not fill the table. */
  sessionsMax: 100,
  /** How exactly it is told when a session was last used: each is a write. */
  sessionUseMs: 3_600_000,
  /** What is kept of a client's name for itself. */
  sessionClientCharacters: 200,
  /** Ours have 43. */
  mailedTokenCharactersMax: 100,
  /** How long a link in a mail is good for, and how many of a kind an account can have. */
  mailedTokenLifeMs: 3_600_000,
  mailedTokensMax: 5,
  /** Mails to one person: who presses again is served, and nobody's mailbox is filled by a stranger. */
  mailsPerAccount: { most: 5, seconds: 3600 },
  /** Mails that one network address may ask for, and links that it may try. */
  mailsPerAddress: { most: 50, seconds: 3600 },
  /** Mails that wait to be sent; more are refused. */
  mailsWaiting: 1000,
  /** Mails on their way at once, tries of each, and how long the second waits; each further one four times as long. */
  mailsAtOnce: 4,
  mailTries: 5,
  mailRetryMs: 1000,
  /** How long a mail server may take to answer, and how long mails that wait keep a gateway that ends. */
  mailServerMs: 10_000,
  mailCloseMs: 3000,
  /** Tries of stored provider keys by one account: each is a call to the provider. */
  keyTestsPerAccount: { most: 30, seconds: 900 },
  /** How long a provider may take for one. */
  keyTestMs: 10_000,
  /** Each export reads all that an account has. */
  exportsPerAccount: { most: 5, seconds: 3600 },
  /** What is packed at once. */
  exportPieceCharacters: 65_536,
  /** How often it is looked whether something of accounts that are gone is to be erased, and how many are taken at once. */
  erasePollMs: 30_000,
  erasuresAtOnce: 10,
  /** Who erases is done by then, or gone, and another one begins again. */
  eraseLeaseMs: 600_000,
  /** When all places are gone through once more: calls that were under way leave something behind, and streams can take long. */
  erasePassesMs: [60_000, 900_000, 86_400_000],
  /** RFC 5321 allows no longer address. */
  emailCharactersMax: 254,
  /** A shorter password is guessed, a longer one only costs hashing time. */
  passwordCharactersMin: 8,
  passwordCharactersMax: 256,
  /** Wrong passwords for one account from one address: people need three tries, guessers thousands. */
  loginsPerAccount: { most: 10, seconds: 900 },
  /** All logins from one address, which an office or a campus may share. */
  loginsPerAddress: { most: 200, seconds: 900 },
  /** Nobody types a longer one. */
  localTokenCharactersMax: 4096,
  /** Accounts that one address may make. */
  signUpsPerAddress: { most: 100, seconds: 3600 },
  /** SPEC's bound on the name of a key. */
  keyNameCharactersMax: 120,
  /** Keys that an account may have in use; people rotate a handful. */
  activeKeysMax: 100,
  /** How long a looked-up key is believed without a look at the database; its version is checked with every call. */
  keyLookupLifeMs: 60_000,
  /** How long a key that doesn't exist is believed not to. */
  keyMissLifeMs: 10_000,
  /** Keys that are remembered, half a kilobyte each, and wrong ones apart from them. */
  cachedKeyLookupsMax: 20_000,
  cachedKeyMissesMax: 5000,
  /** Lookups under way; each may wait for the database. */
  keyLookupsAtOnce: 1000,
  /** How late the time of a key's last use is stored. */
  keyUsesFlushMs: 5000,
  /** Keys whose last use waits to be stored; when the database is away for long, further ones are not noted. */
  keyUsesMax: 50_000,
  /** Providers' keys are 40 to 200 characters; a key goes into a header. */
  providerKeyCharactersMax: 500,
  /** Google's service accounts are texts of 2,400; names and comments in them are left out before they are stored. */
  structuredKeyCharactersMax: 8192,
  /** Of a key of this length or more the last four characters tell it from others without giving it away. */
  hintedKeyCharactersMin: 12,
  /** Opened provider keys that are kept in memory. */
  unsealedKeysMax: 20_000,
  /** Rows that are sealed anew at a time, so that nobody waits long behind them. */
  resealedAtOnce: 100,
  /** Rows that no key opens; more mean that the secret is wrong, and not the rows. */
  unreadableKeysMax: 10_000,
} as const;
