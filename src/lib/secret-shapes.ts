/** Common patterns of secrets. */
const secretShapes: readonly RegExp[] = [
  /\b(?:sk|pk|rk|ghp|gho|ghs|ghu|glpat|xox[abprs]|github_pat|gw_live|whsec|hf|npm|gsk|xai|r8|shpat|dop_v1|lin_api|pypi)[-_][\w-]{8}/i,
  /\bA(?:KIA|SIA)[A-Z0-9]{12}/,
  /\beyJ[\w-]{8}/,
  /-----BEGIN/,
  /\b(?:pass(?:word|wd|phrase)?|secret|token|api[-_ ]?key|credentials?|pin|kennwort|passwort)\b\s*(?:is|are|ist|[:=])\s*\S/i,
  /\bbearer\s+[\w.-]{8,}/i,
  /\/\/[^\s/:@]+:[^\s/@]+@/,
];

/** Common patterns of secrets and personal data. */
const sensitiveShapes: readonly RegExp[] = [
  ...secretShapes,
  /\b[0-9a-f]{32,}\b/i,
  /[\w.+-]@[\w-]+\.[\w.-]/,
  // Phone, card and account numbers: seven digits or more, in any grouping.
  /(?:\d[ ().-]{0,2}){7}/,
  /\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){3}/,
  /\b\d{1,3}(?:\.\d{1,3}){3}\b/,
  /\b\d{3}-\d{2}-\d{4}\b/,
  /(?:\b[0-9a-f]{1,4}:{1,2}){3}[0-9a-f]{1,4}\b/i,
];

/** Whether a text has something in it that is certainly a secret. */
export function holdsSecret(text: string): boolean {
  return secretShapes.some((shape) => shape.test(text));
}

/** Whether a text may be stored and shown to a model in another conversation. */
export function isFreeOfSecrets(text: string): boolean {
  const usual = text.normalize('NFKC');
  if (sensitiveShapes.some((shape) => shape.test(usual)) || announcesSecret(usual)) return false;
  return !(usual.match(/[A-Za-z0-9+/_-]+/g) ?? []).some(isRandomRun);
}

const secretNames =
  /\b(?:pass(?:word|wd|code|phrase)?|pwd|secret|token|api[-_ ]?key|pin|kennwort|passwort)\b(?=\W)/gi;

/** A secret in prose: a token with a digit, a few words after such a name. */
function announcesSecret(text: string): boolean {
  for (const { 0: name, index } of text.matchAll(secretNames)) {
    const end = index + name.length;
    const words = text.slice(end, end + 120).split(/\s+/, 8);
    if (words.some((word) => /\d/.test(word))) return true;
  }
  return false;
}

/** A long run of letters and digits that isn't natural language. */
function isRandomRun(run: string): boolean {
  return run.length >= 24 && /\d/.test(run) && /[A-Za-z]/.test(run);
}

/** One line, without markup that a model could take for the end of our block or for a role. */
export function toPlainLine(text: string, charactersMax: number): string {
  const line = text
    .replace(/[<>{}`]/g, ' ')
    .replace(/\p{C}/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  return line.length <= charactersMax ? line : `${line.slice(0, charactersMax - 1).toWellFormed()}…`;
}
