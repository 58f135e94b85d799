/** Limits of accounts, their keys, sessions and mail. Each name has its unit. */
export const limits = {
  /**
   * Concurrent password hashes: each takes 19 MiB, 12 ms of a core, and one of the four threads that files and zlib
   * share.
   */
  passwordHashesAtOnce: 2,
  /** Queued password hashes, half a second's work; further ones are rejected. */
  passwordHashesWaiting: 64,
  /** Concurrent API key checks, separate from passwords, so that a rush of logins can't delay calls. */
  keyHashesAtOnce: 2,
  /** Queued API key checks; each takes 0.1 ms, so that the last one waits for 50 ms. */
  keyHashesWaiting: 1000,
  /** A stolen session token works until then, and users have to log in again after it. */
  sessionLifeMs: 7 * 86_400_000,
  /** Users have a few devices; scripts that log in and never out must not fill the table. */
  sessionsMax: 100,
  /** Precision of a session's last use: each update is a write. */
  sessionUseMs: 3_600_000,
  /** The stored length of a client's user agent. */
  sessionClientCharacters: 200,
  /** Lifetime of a link in a mail, and how many of a kind an account can have. */
  mailedTokenLifeMs: 3_600_000,
  mailedTokensMax: 5,
  /** Passkeys of a person, who has a few devices. */
  passkeysMax: 20,
  passkeyNameCharactersMax: 100,
  /** How long a login with a passkey or a second factor may take. */
  loginChallengeLifeMs: 300_000,
  /** Recovery codes of a person, of 49 random bits each. */
  recoveryCodes: 10,
  /** Wrong second factors for one person from one address. */
  secondFactorsPerPerson: { most: 10, seconds: 900 },
  /** A browser's answer about a passkey: attestations of some devices have certificates. */
  passkeyResponseCharactersMax: 20_000,
  /** Mails to one recipient: allows retries, but no stranger can flood a mailbox. */
  mailsPerAccount: { most: 5, seconds: 3600 },
  /** Mails that one network address may request, and links that it may try. */
  mailsPerAddress: { most: 50, seconds: 3600 },
  /** Mails waiting to be sent; more are rejected. */
  mailsWaiting: 1000,
  /** Concurrent mails, attempts per mail, and the delay before the second; each further delay is four times as long. */
  mailsAtOnce: 4,
  mailTries: 5,
  mailRetryMs: 1000,
  /** How long waiting mails delay a shutdown. */
  mailCloseMs: 3000,
  /** Interval between checks for deleted accounts to erase, and how many are handled at once. */
  erasePollMs: 30_000,
  erasuresAtOnce: 10,
  /** Lease of an erasure: whoever holds it is done by then, or gone, and another process starts again. */
  eraseLeaseMs: 600_000,
  /** Delay of the second erasure pass: calls in flight leave data behind, and streams can take long. */
  erasePassesMs: [60_000, 900_000, 86_400_000],
  /** RFC 5321 allows no longer address. */
  emailCharactersMax: 254,
  /** A shorter password is guessed, a longer one only costs hashing time. */
  passwordCharactersMin: 8,
  passwordCharactersMax: 256,
  /** Wrong passwords for one account from one address: users need three attempts, attackers thousands. */
  loginsPerAccount: { most: 10, seconds: 900 },
  /** All logins from one address, which an office or a campus may share. */
  loginsPerAddress: { most: 200, seconds: 900 },
  /** Accounts that one address may create. */
  signUpsPerAddress: { most: 100, seconds: 3600 },
  /** Lifetime of an invitation to sign up, unless the operator chooses one, and the longest. */
  invitationDays: 7,
  invitationDaysMax: 90,
  /** A token has 43. */
  invitationCharactersMax: 100,
  /** Accounts that a person owns: each has a quota of its own. */
  ownedAccountsMax: 10,
  /** Accounts that a person is a member of; a consultant has a few dozen. */
  membershipsMax: 100,
  /** Members of an account. */
  membersMax: 20_000,
  /** Invitations into an account that nobody has accepted yet. */
  memberInvitationsMax: 1000,
  /** Mails with invitations that an account may send. */
  invitationMailsPerAccount: { most: 200, seconds: 86_400 },
  /** Invitations that one network address may look up or accept. */
  invitationUsesPerAddress: { most: 100, seconds: 3600 },
  /** How long a deleted organization can be restored. */
  organizationGraceMs: 7 * 86_400_000,
  organizationNameCharactersMax: 100,
  /** Projects of an account, with the archived ones: a large company has a thousand. */
  projectsMax: 5000,
  projectNameCharactersMax: 100,
  /** Service accounts of an account, and tokens of each: one for each pipeline or tool, and a second one while it is replaced. */
  serviceAccountsMax: 100,
  serviceTokensMax: 10,
  serviceNameCharactersMax: 100,
  /** How long a token works unless it is said, and the longest. */
  serviceTokenDays: 365,
  serviceTokenDaysMax: 3650,
  /** Keys whose calls belong to a project, the newest: a filter has them all in a query. */
  projectKeysRead: 10_000,
  /** How long a sign-on may take, with a second factor at the identity provider. */
  signOnLifeMs: 600_000,
  /** Answers of identity providers: discovery documents and key sets have a few kilobytes. */
  issuerAnswerMs: 10_000,
  issuerAnswerBytesMax: 256 * 1024,
  /** How much the clock of an identity provider may differ. */
  issuerClockSeconds: 60,
  /** How long the keys of an issuer are used without asking again, and at most while it can't be reached. */
  issuerKeysFreshMs: 600_000,
  issuerKeysLifeMs: 3_600_000,
  /** Between two requests for keys because of tokens that name unknown ones. */
  issuerKeysPauseMs: 30_000,
  /** How long the discovery document of an issuer is used. */
  issuerFreshMs: 600_000,
  /** Issuers whose documents and keys are cached, some kilobytes each. */
  cachedIssuersMax: 2000,
  /** Domains of an organization. */
  signOnDomainsMax: 50,
  /** Groups with a role of their own. */
  groupRolesMax: 200,
  /** Groups in a claim; identity providers leave them out beyond some hundred. */
  groupsMax: 2000,
  /** Sign-ons that one network address may begin or finish: all of an office may have one. */
  signOnsPerAddress: { most: 1000, seconds: 900 },
  /** DNS look-ups and test runs of an organization. */
  signOnChecksPerAccount: { most: 30, seconds: 600 },
  /** Logouts that an identity provider may send. */
  logoutsPerAddress: { most: 5000, seconds: 900 },
  /** SCIM tokens of an organization: one for each identity provider, and another while it is replaced. */
  scimTokensMax: 5,
  scimTokenNameCharactersMax: 100,
  /** Groups that an identity provider manages; it sends those that are assigned to the application. */
  scimGroupsMax: 5000,
  /** Names and ids of users and groups. */
  scimTextCharactersMax: 300,
  /** A request with all members of the largest group, a hundred bytes each. */
  scimBodyBytesMax: 4 * 1024 * 1024,
  /** Filters have two or three terms; each is a condition of a query. */
  scimFilterCharactersMax: 2000,
  scimFilterTermsMax: 30,
  scimFilterDepthMax: 5,
  /** Changes in one request; Entra ID sends up to 100. */
  scimOperationsMax: 1000,
  /** Resources in an answer, unless the client wants fewer. */
  scimPageMax: 200,
  /** Members of groups in one answer: those of the largest group. */
  scimListedMembersMax: 20_000,
  /** Entries of the audit log that are written at the same time. */
  scimAuditedAtOnce: 100,
  /** Issuers whose tokens an organization accepts: its own, its build systems and clusters. */
  tokenIssuersMax: 20,
  /** Values of a claim, and claims, that tokens need. */
  requiredClaimsMax: 10,
  claimValuesMax: 100,
  /** Values of the claim that names projects. */
  projectKeysMax: 500,
  claimCharactersMax: 300,
  /** A token with some hundred groups; larger ones don't fit into a header of most servers. */
  issuedTokenCharactersMax: 8192,
  /** How long a verified token is used without being verified again; its version is checked with every call. */
  issuedTokenLifeMs: 60_000,
  /** How long a refused token is refused without another look. */
  issuedTokenMissLifeMs: 10_000,
  /** Verified tokens, a kilobyte each; refused ones are cached separately. */
  cachedIssuedTokensMax: 20_000,
  cachedTokenMissesMax: 5000,
  /** How long an issuer whose keys can't be read is left alone. */
  tokenIssuerPauseMs: 5000,
  /** Active keys of an account outside of projects, and of each project; users rotate a handful. */
  activeKeysMax: 100,
  /** How long a key lookup is cached without querying the database; its version is checked with every call. */
  keyLookupLifeMs: 60_000,
  /** How long an unknown key is cached as unknown. */
  keyMissLifeMs: 10_000,
  /** Cached keys, half a kilobyte each; unknown ones are cached separately. */
  cachedKeyLookupsMax: 20_000,
  cachedKeyMissesMax: 5000,
  /** Concurrent lookups; each may wait for the database. */
  keyLookupsAtOnce: 1000,
  /** Delay before a key's last use is stored. */
  keyUsesFlushMs: 5000,
  /** Keys whose last use waits to be stored; during a long database outage, further ones are not recorded. */
  keyUsesMax: 50_000,
  /** Keys of at least this length can show their last four characters without giving the key away. */
  hintedKeyCharactersMin: 12,
  /** Keys of an account for one provider: a call ranks all of them. */
  keysOfProviderMax: 20,
  /** Providers of accounts whose unsealed keys are cached in memory. */
  unsealedKeysMax: 20_000,
  /** Rows sealed anew at a time, so that other queries don't wait long. */
  resealedAtOnce: 100,
  /** Rows that no key unseals; more mean that the secret is wrong, not the rows. */
  unreadableKeysMax: 10_000,
} as const;
