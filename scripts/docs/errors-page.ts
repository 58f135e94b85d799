import { type ErrorDescription, errorReference, errorSubjects } from '../../src/kernel/error-reference.ts';
import { type ErrorCode, errorStatus } from '../../src/kernel/errors.ts';
import { problems } from '../../src/payments/problems.ts';

interface Entry extends ErrorDescription {
  readonly code: ErrorCode;
  readonly status: number;
  readonly subject: string;
}

/** The text of docs/errors.md: every code with a heading of its own, so that a link can lead to it. */
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

Every error of the gateway itself has a code, in \`error.code\` of the [body](using.md#errors) and in the [request log](request-log.md).
Gemini’s format has the HTTP status there, and the code in capitals in \`error.details[0].reason\`. This page lists all codes
with their causes and remedies; \`npm run docs\` writes it from \`src/kernel/error-reference.ts\`.`;

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

The routes of [machine payments](payments.md) answer 402 with a problem document (RFC 9457) in place of a code. Its \`type\` is an
address that ends with one of these names.

${['| problem | cause and remedy |', '|---|---|', ...rows].join('\n')}`;
}
