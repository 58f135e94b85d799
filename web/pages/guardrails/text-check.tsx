import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { api, told } from '../../api/client.ts';
import type { CheckResult } from '../../api/queries.ts';
import { Button, Code, Field, TextArea } from '../../parts/controls.tsx';
import { Badge, Failure } from '../../parts/states.tsx';
import { actionTones } from './rule-draft.ts';

interface TextCheckProps {
  /** Options of the module; without them, only the rule is tried. */
  readonly options?: Readonly<Record<string, unknown>>;
  /** A rule that isn't stored. */
  readonly rule?: Readonly<Record<string, unknown>> | undefined;
  readonly rows: number;
}

const ruleOnly = { pii: 'off', secrets: 'off', injection: 'off', profanity: 'off', output: 'off' };

/** Tries options and rules with a text. */
export function TextCheck({ options = ruleOnly, rule, rows }: TextCheckProps) {
  const [text, setText] = useState('');
  const checking = useMutation({
    mutationFn: async () => {
      const direction = rule?.applies_to === 'output' ? 'output' : 'input';
      const body = { text, options, direction, ...(rule !== undefined && { rule }) } as const;
      return { text, result: await told(api.POST('/v1/guardrails/check', { body })) };
    },
  });
  const canCheck = text.trim() !== '' && (rule !== undefined || options !== ruleOnly);
  return (
    <div className="flex min-w-0 flex-col gap-3">
      <Field label="Try it with a text" hint="The text isn’t stored, and no provider is called.">
        {(field) => (
          <TextArea
            {...field}
            rows={rows}
            maxLength={100_000}
            spellCheck={false}
            value={text}
            onChange={({ target }) => setText(target.value)}
          />
        )}
      </Field>
      <Button
        className="self-start"
        disabled={!canCheck}
        busy={checking.isPending}
        onClick={() => checking.mutate()}
      >
        Check
      </Button>
      {checking.error !== null && <Failure error={checking.error} />}
      {checking.data !== undefined && <CheckedText {...checking.data} />}
    </div>
  );
}

interface CheckedProps {
  readonly text: string;
  readonly result: CheckResult;
}

function CheckedText({ text, result }: CheckedProps) {
  const { findings, isInjection, redacted, blockedBy } = result;
  if (findings.length === 0 && !isInjection)
    return (
      <p role="status" className="text-sm text-muted">
        Nothing was found. {unreadText(result)}
      </p>
    );
  return (
    <section aria-label="Result" aria-live="polite" className="flex min-w-0 flex-col gap-3">
      <p className="max-h-60 overflow-y-auto rounded-md border border-line bg-surface px-3 py-2.5 text-sm leading-relaxed wrap-anywhere whitespace-pre-wrap">
        {partsOf(text, findings).map(({ start, part, finding }) =>
          finding === undefined ? (
            part
          ) : (
            <mark
              key={start}
              title={`${finding.kind}: ${finding.action}`}
              className={`rounded-sm px-0.5 ${marks[finding.action] ?? marks.monitor}`}
            >
              {part}
            </mark>
          ),
        )}
      </p>
      <ul className="flex flex-wrap gap-x-4 gap-y-1.5 text-sm">
        {countsOf(findings).map(({ kind, action, count }) => (
          <li key={kind} className="flex items-center gap-1.5">
            <code className="font-mono text-xs">{kind}</code>
            <span className="text-muted">{count}</span>
            <Badge tone={toneOf(action)}>{action}</Badge>
          </li>
        ))}
        {isInjection && (
          <li className="flex items-center gap-1.5">
            <code className="font-mono text-xs">INJECTION</code>
            <span className="text-muted">the whole text</span>
          </li>
        )}
      </ul>
      {unreadText(result) !== '' && <p className="text-xs text-muted">{unreadText(result)}</p>}
      {blockedBy !== null ? (
        <p className="text-sm">
          <Badge tone="refused">blocked</Badge> A call with this text is rejected, because of {blockedBy}.
        </p>
      ) : (
        redacted !== text && <Code label="What leaves" text={redacted} wraps />
      )}
    </section>
  );
}

/** Names and injections need the local models. */
function unreadText({ models, reason }: CheckResult): string {
  if (models !== 'away') return '';
  return `The local models have not read the text (${reason}): names and injections are not reported.`;
}

type Finding = CheckResult['findings'][number];

const marks: Readonly<Record<string, string>> = {
  monitor: 'bg-sunken text-ink',
  redact: 'bg-accent-soft text-accent',
  block: 'bg-refused-soft text-refused',
};

function toneOf(action: string) {
  return action === 'redact' || action === 'block' ? actionTones[action] : actionTones.monitor;
}

/** The text in parts, with and without a finding. */
function partsOf(text: string, findings: readonly Finding[]) {
  const parts: { readonly start: number; readonly part: string; readonly finding?: Finding }[] = [];
  let at = 0;
  for (const finding of findings) {
    parts.push({ start: at, part: text.slice(at, finding.start) });
    parts.push({ start: finding.start, part: text.slice(finding.start, finding.end), finding });
    at = finding.end;
  }
  return [...parts, { start: at, part: text.slice(at) }];
}

function countsOf(findings: readonly Finding[]) {
  const kinds = [...new Set(findings.map(({ kind }) => kind))];
  return kinds.map((kind) => {
    const same = findings.filter((finding) => finding.kind === kind);
    return { kind, action: same[0]?.action ?? 'monitor', count: same.length };
  });
}
