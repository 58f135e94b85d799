/**
 * Whether a part of a long text may have names or other personal data that the tagger finds. Most of code and logs has none, and
 * the test takes a thousandth of the tagger's time.
 */
export function mayHaveNames(part: string): boolean {
  return capitalizedWords.test(part) || cue.test(part);
}

/** A capitalized word within a sentence, or two in a row; not parts of identifiers, paths and addresses. */
const capitalizedWords =
  /(?:[\p{Ll}\d,;:)"'’] |["'>|,\t])\p{Lu}\p{Ll}+(?![\p{L}\d_(./\\-])|(?<![\p{L}\d_./\\-])\p{Lu}\p{Ll}+ (?:\p{Lu}\.? )?\p{Lu}\p{Ll}+(?![\p{L}\d_(])/u;

/** Words that stand beside personal data, also in lower case. */
const cue =
  /\b(?:mr|mrs|ms|dr|prof|dear|hi|hello|regards|sincerely|my name|name is|names?["']?\s*[:=]|i am|i['’]m|call me|born|birth|dob|years old|lives? (?:in|at)|moved to|address|street|avenue|passport|username)\b/i;
