/** Limits of HTTP APIs that become tools. Each name has its unit. */
export const limits = {
  /** GitHub's description has 13 million characters. */
  jsonCharactersMax: 16 * 1024 * 1024,
  /** YAML takes fifty times as long to read as JSON: this is a second. Longer descriptions can be sent as JSON. */
  yamlCharactersMax: 1024 * 1024,
  /** Brackets and indentation; real descriptions have some thirty levels. */
  depthMax: 100,
  /** Values in a description with its YAML aliases followed; GitHub's has 700,000. */
  valuesMax: 1_500_000,
  /** Names that stand for other parts of a YAML document. */
  yamlAliasesMax: 1000,
  /** What is stored of a description. */
  storedCharactersMax: 1024 * 1024,
  fetchMs: 30_000,
  /** References that lead to references. */
  referenceStepsMax: 16,

  /** As many as a list of tools may have. */
  toolsMax: 500,
  /** With the name of the server in front, model providers accept 64 characters. */
  toolNameMax: 48,
  /** Names of arguments that all model providers accept. */
  argumentNameMax: 64,
  descriptionCharactersMax: 2000,
  instructionsCharactersMax: 4000,
  /** The schema of one tool: a model reads every one of them. */
  schemaCharactersMax: 24 * 1024,
  /** Values that are converted for one tool before its schema is made shallower. */
  schemaValuesMax: 20_000,
  /** A referenced schema with more values stays a definition. */
  inlineValuesMax: 64,
  /** Longer regular expressions tell a model nothing. */
  patternCharactersMax: 100,
  outputDepthMax: 4,
  outputValuesMax: 100,
  /** Operations that are named in a report, and the servers. */
  leftOutMax: 200,
  ignoredServersMax: 20,

  /** Values of one call that are compared with the schema; more are left to the API. */
  checkStepsMax: 100_000,
  /** What is wrong with a call's arguments; a model corrects these first. */
  argumentFaultsMax: 8,
  /** Servers accept some 8,000 characters. */
  urlCharactersMax: 16_000,
  requestBytesMax: 8 * 1024 * 1024,

  /** What is read of a response. */
  responseBytesMax: 4 * 1024 * 1024,
  /** What a model gets of it. */
  textCharactersMax: 100_000,
  errorCharactersMax: 4000,
  /** The definition of an API does not change by itself. */
  listTtlMs: 3_600_000,
} as const;
