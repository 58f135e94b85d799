import { type ErrorDescription, errorReference, errorSubjects } from '../../src/kernel/error-reference.ts';
import { type ErrorCode, errorStatus } from '../../src/kernel/errors.ts';
import { problems } from '../../src/payments/problems.ts';

interface Entry extends ErrorDescription {
  readonly code: ErrorCode;
  readonly status: number;
  readonly subject: string;
}

/** The text of docs/reference/errors.md: every code with a heading of its own, so that a link can lead to it. */
export function errorsPage(): string {
  const entries = Object.keys(errorStatus)
    .filter(isErrorCode)
    .map(
      (code): Entry => ({
        ...errorReference[code],
        code,
        status: errorStatus[code],
        subject: subjectOf(code),
      }),
    );
  const sections = Object.keys(errorSubjects).map((subject) =>
    [`## ${subject}`, ...entries.filter((entry) => entry.subject === subject).map(section)].join('\n\n'),
  );
  return `${[introduction, indexTable(entries), ...sections, problemsSection()].join('\n\n')}\n`;
}

function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(errorStatus, code);
}

function subjectOf(code: ErrorCode): string {
  const subject = Object.entries(errorSubjects).find(([, errors]) => Object.hasOwn(errors, code))?.[0];
  if (subject === undefined) throw new Error(`errorSubjects does not contain ${code}`);
  return subject;
}

const introduction = `# Errors

Every error of Weir itself has a code, in \`error.code\` of the body and in the [request log](request-log.md). This page lists all codes
with their causes and remedies; \`npm run docs\` writes it from \`src/kernel/error-reference.ts\`. Symptoms without a code are in
[Troubleshooting](../troubleshooting.md).

## The body of an error

Errors have one form, which the SDKs of all wire formats read:

\`\`\`json
{
  "type": "error",
  "error": { "type": "authentication_error", "message": "…", "code": "invalid_api_key", "param": null },
  "request_id": "req_…"
}
\`\`\`

| field | meaning |
|---|---|
| \`type\` | the kind of error, as the wire format of the call names it |
| \`message\` | the cause, and often the remedy |
| \`code\` | one of the codes below; for an error of a provider, the provider’s code where it sent one |
| \`param\` | the field, parameter or header that is wrong |
| \`detail\` | more about the cause, on some errors |
| \`resets_at\` | when a limit ends, if that takes longer than a minute |
| \`upgrade_url\` | where a larger tier or credits are sold, on errors of a quota |

Gemini’s format has the HTTP status in \`error.code\`, and the code in capitals in \`error.details[0].reason\`.

## Retries

- \`retry-after\` is there if a minute or less is enough.
- A longer wait has \`error.resets_at\` and \`x-should-retry: false\`, because agents sleep for as long as \`retry-after\` says and show nothing.
- 400, 401, 402, 403 and 404 of Weir itself have \`x-should-retry: false\`: somebody has to change something first.
- A provider’s error keeps its status, its message, its \`retry-after\` and its rate limit headers.

## All codes`;

function indexTable(entries: readonly Entry[]): string {
  const rows = entries
    .toSorted((one, other) => (one.code < other.code ? -1 : 1))
    .map(({ code, status, subject }) => `| [\`${code}\`](#${code}) | ${status} | ${subject} |`);
  return ['| code | HTTP status | subject |', '|---|---|---|', ...rows].join('\n');
}

function section({ code, status, cause, remedy }: Entry): string {
  return `### ${code}\n\n- HTTP status: ${status}\n- Cause: ${cause}\n- Remedy: ${remedy}`;
}

function problemsSection(): string {
  const rows = Object.entries(problems).map(([slug, { meaning }]) => `| \`${slug}\` | ${meaning} |`);
  return `## Problems of machine payments

The routes of [machine payments](../guides/payments.md) answer 402 with a problem document (RFC 9457) in place of a code. Its \`type\` is an
address that ends with one of these names.

${['| problem | cause and remedy |', '|---|---|', ...rows].join('\n')}`;
}
