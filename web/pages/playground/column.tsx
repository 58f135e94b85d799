import { Link } from '@tanstack/react-router';
import { Code2, SlidersHorizontal, X } from 'lucide-react';
import { useEffect, useImperativeHandle, useState } from 'react';
import { Choice, Code, IconButton, Input, Select } from '../../parts/controls.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { costOf, count, duration, exactUsd } from '../../parts/format.ts';
import { type Format, formats } from '../../parts/formats.ts';
import { PipelineEditor } from '../../parts/pipeline/pipeline-editor.tsx';
import { Badge, sentence } from '../../parts/states.tsx';
import { codeFor, type Language } from './code.ts';
import { type Answering, useAnswer } from './use-answer.ts';

/** What the page asks of each of its columns. */
export interface Handle {
  run(): void;
  stop(): void;
}

interface ColumnProps {
  readonly handle: (handle: Handle | null) => void;
  readonly prompt: string;
  readonly system: string;
  readonly maxTokens: number;
  readonly credential: string;
  readonly first: { readonly model: string };
  readonly onBusy: (busy: boolean) => void;
  readonly onRemove: (() => void) | undefined;
}

export function Column({
  handle,
  prompt,
  system,
  maxTokens,
  credential,
  first,
  onBusy,
  onRemove,
}: ColumnProps) {
  const [model, setModel] = useState(first.model);
  const [format, setFormat] = useState<Format>('anthropic-messages');
  const [pipeline, setPipeline] = useState<string>();
  const [showing, setShowing] = useState<'pipeline' | 'code'>();
  const { answer, ask, stop } = useAnswer();
  const question = { format, model, system, prompt, maxTokens, pipeline };
  useImperativeHandle(handle, () => ({ run: () => void ask({ ...question, credential }), stop }));
  const isBusy = answer.state === 'waiting' || answer.state === 'streaming';
  useEffect(() => onBusy(isBusy), [isBusy, onBusy]);
  return (
    <section
      aria-label={`Answer of ${model}`}
      className="flex min-w-0 flex-col gap-3 rounded-lg border border-line bg-surface p-3"
    >
      <div className="flex items-center gap-1">
        <Input
          aria-label="Model"
          list="playground-models"
          className="font-mono text-xs!"
          value={model}
          onChange={(event) => setModel(event.target.value)}
        />
        <IconButton label="Pipeline" onClick={() => setShowing('pipeline')}>
          <SlidersHorizontal aria-hidden className={pipeline === undefined ? '' : 'text-accent'} />
        </IconButton>
        <IconButton label="Code" onClick={() => setShowing('code')}>
          <Code2 aria-hidden />
        </IconButton>
        {onRemove !== undefined && (
          <IconButton label="Remove this column" onClick={onRemove}>
            <X aria-hidden />
          </IconButton>
        )}
      </div>
      <Select
        aria-label="Format"
        value={format}
        onChange={(event) => setFormat(event.target.value as Format)}
      >
        {formats.map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </Select>
      <Said answer={answer} />
      <Outcome answer={answer} />
      <Dialog
        open={showing === 'pipeline'}
        onClose={() => setShowing(undefined)}
        title="Pipeline of this column"
        wide
      >
        <Pipeline text={pipeline} onChange={setPipeline} />
      </Dialog>
      <Dialog open={showing === 'code'} onClose={() => setShowing(undefined)} title="Use this in code" wide>
        <CodeFor ask={question} />
      </Dialog>
    </section>
  );
}

function Said({ answer: { state, text, error } }: { readonly answer: Answering }) {
  return (
    <section
      aria-live="polite"
      aria-label="Answer"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
      tabIndex={0}
      className="max-h-[60vh] min-h-48 overflow-y-auto rounded-md bg-sunken p-3 text-sm leading-relaxed whitespace-pre-wrap"
    >
      {state === 'idle' && <span className="text-muted">The answer appears here.</span>}
      {state === 'waiting' && <span className="text-muted">Waiting for the first token…</span>}
      {text}
      {error !== undefined && <span className="text-failed">{sentence(error)}</span>}
    </section>
  );
}

function Outcome({
  answer: { state, firstMs, totalMs, call, modules, requestId },
}: {
  readonly answer: Answering;
}) {
  if (state === 'idle') return null;
  return (
    <div className="flex flex-col gap-2 text-sm">
      <dl className="grid grid-cols-4 gap-2 [&_dt]:text-xs [&_dt]:text-muted">
        <Figure name="First token" value={duration(firstMs)} />
        <Figure name="Total" value={duration(totalMs)} />
        <Figure name="Tokens" value={tokensOf(call)} />
        <Figure
          name="Cost"
          value={call === undefined ? '–' : costOf(call)}
          title={call === undefined ? undefined : exactUsd(call.cost_usd)}
        />
      </dl>
      <div className="flex flex-wrap items-center gap-1.5">
        {(call?.modules ?? []).map(({ name, effect }) => (
          <Badge
            key={name}
            tone={effect === 'answered' ? 'saved' : effect === 'rejected' ? 'refused' : 'plain'}
          >
            {name} {effect}
          </Badge>
        ))}
        {call === undefined && modules !== undefined && <span className="text-xs text-muted">{modules}</span>}
        {requestId !== undefined && (
          <Link to="/requests" search={{ open: requestId }} className="ml-auto text-xs text-accent underline">
            In the log
          </Link>
        )}
      </div>
    </div>
  );
}

/** In and out. */
function tokensOf(call: Answering['call']): string {
  if (call === undefined || (call.input_tokens === null && call.output_tokens === null)) return '–';
  return `${count(call.input_tokens)} + ${count(call.output_tokens)}`;
}

function Figure({
  name,
  value,
  title,
}: {
  readonly name: string;
  readonly value: string;
  readonly title?: string | undefined;
}) {
  return (
    <div>
      <dt>{name}</dt>
      <dd title={title}>{value}</dd>
    </div>
  );
}

interface PipelineProps {
  readonly text: string | undefined;
  readonly onChange: (text: string | undefined) => void;
}

function Pipeline({ text, onChange }: PipelineProps) {
  return (
    <div className="flex flex-col gap-4">
      <Choice
        label="Which pipeline"
        value={text === undefined ? 'usual' : 'own'}
        options={[
          ['usual', 'Gateway default'],
          ['own', 'Custom'],
        ]}
        onChange={(which) => onChange(which === 'usual' ? undefined : '')}
      />
      {text !== undefined && <PipelineEditor text={text} onChange={onChange} />}
    </div>
  );
}

function CodeFor({ ask }: { readonly ask: Parameters<typeof codeFor>[1] }) {
  const [language, setLanguage] = useState<Language>('curl');
  return (
    <>
      <Choice
        label="Language"
        value={language}
        options={(['curl', 'TypeScript', 'Python'] as const).map((name) => [name, name])}
        onChange={setLanguage}
      />
      <Code label={language} text={codeFor(language, ask)} />
    </>
  );
}
