/**
 * Failure counts in the summaries of common test runners. The patterns exclude line ends: `\W*` and `\s*` would scan from every
 * line to the end of the text.
 */
const failureCounts: readonly RegExp[] = [
  /\b(\d+) (?:tests? |specs? |examples?,? )?(?:failed|failing|failures?|errors?)\b/gi,
  /\b(?:fail(?:ed|ures?|ing)?|errors?)\s?[:=]\s*(\d+)/gi,
  /^[^\w\r\n\u2028\u2029]*fail (\d+)[^\S\r\n\u2028\u2029]*$/gim,
];
const failureMarks: readonly RegExp[] = [
  /^--- FAIL: /m,
  /^FAIL(?:\s|$)/m,
  /\btest result: FAILED\b/,
  /^FAILED \(/m,
  /^FAILURES!/m,
  /^not ok \d+/m,
];
const successMarks: readonly RegExp[] = [
  /\b[1-9]\d* (?:tests? |specs? )?(?:passed|passing)\b/i,
  /\bpass(?:ed|ing)?\s?[:=]\s*[1-9]/i,
  /^[^\w\r\n\u2028\u2029]*pass [1-9]\d*[^\S\r\n\u2028\u2029]*$/im,
  /\btest result: ok\b/,
  /^ok\s+\S+\s+(?:[\d.]+s|\(cached\))/m,
  /^OK(?: \(|$)/m,
  /\b[1-9]\d* (?:examples?|tests?), 0 failures\b/i,
  /\bTests run: [1-9]\d*, Failures: 0, Errors: 0\b/,
];

/** Whether the tests in an output passed; undefined if it doesn't look like a test run. */
export function didTestsPass(output: string): boolean | undefined {
  const isRed =
    failureCounts.some((shape) => [...output.matchAll(shape)].some(([, count]) => Number(count) > 0)) ||
    failureMarks.some((shape) => shape.test(output));
  const isGreen = successMarks.some((shape) => shape.test(output));
  const isRun = isGreen || failureCounts.some((shape) => output.search(shape) >= 0) || isRed;
  if (!isRun) return undefined;
  if (isRed) return looksLikeRun(output) ? false : undefined;
  return isGreen ? true : undefined;
}

/** Other tools than test runners count errors, too. */
function looksLikeRun(output: string): boolean {
  return /\b(?:tests?|specs?|examples?|pass(?:ed|ing|es)?|assertions?|suites?)\b|^(?:--- )?FAIL|^not ok/im.test(
    output,
  );
}
