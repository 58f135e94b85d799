import { Code2, SlidersHorizontal, X } from 'lucide-react';
import { useEffect, useImperativeHandle, useState } from 'react';
import { type Chat, type ChatBlock, textOf } from '../../parts/chat/chat.ts';
import { Button, IconButton, Input, Select } from '../../parts/controls.tsx';
import { Blocks } from '../../parts/conversation/blocks.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { diffLists, wordsOf } from '../../parts/diff.ts';
import { WordDiff } from '../../parts/diff-view.tsx';
import { formatNamed, formats } from '../../parts/formats.ts';
import { sentence } from '../../parts/states.tsx';
import { CodeFor, PipelineChoice } from './column-dialogs.tsx';
import type { Target } from './draft.ts';
import { Outcome } from './outcome.tsx';
import { type AnswerState, useAnswer } from './use-answer.ts';

/** What the page asks of each of its columns. */
export interface Handle {
  run(): void;
  stop(): void;
}

export interface ColumnState {
  readonly isBusy: boolean;
  readonly text: string;
}

interface ColumnProps {
  readonly handle: (handle: Handle | null) => void;
  readonly target: Target;
  readonly onTarget: (target: Target) => void;
  /** Undefined while the draft is not complete. */
  readonly chat: Chat | undefined;
  readonly credential: string;
  /** The text to show the differences from. */
  readonly compared: string | undefined;
  readonly onState: (state: ColumnState) => void;
  readonly onContinue: (blocks: readonly ChatBlock[]) => void;
  readonly onRemove: (() => void) | undefined;
}

/** One model with its answer. */
export function Column(props: ColumnProps) {
  const { handle, target, onTarget, chat, credential, compared, onState, onContinue, onRemove } = props;
  const { model, pipeline } = target;
  const [showing, setShowing] = useState<'pipeline' | 'code'>();
  const { answer, ask, stop } = useAnswer();
  const format = formatNamed(target.format) ?? formats[0];
  useImperativeHandle(handle, () => ({
    run: () => void (chat !== undefined && ask({ format, model, chat, pipeline, credential })),
    stop,
  }));
  const isBusy = answer.state === 'waiting' || answer.state === 'streaming';
  const text = textOf(answer.blocks);
  useEffect(() => onState({ isBusy, text }), [isBusy, text, onState]);
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
          onChange={(event) => onTarget({ ...target, model: event.target.value })}
        />
        <IconButton label="Pipeline" onClick={() => setShowing('pipeline')}>
          <SlidersHorizontal aria-hidden className={pipeline === undefined ? '' : 'text-accent'} />
        </IconButton>
        <IconButton label="Code" disabled={chat === undefined} onClick={() => setShowing('code')}>
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
        value={format.name}
        onChange={(event) => onTarget({ ...target, format: event.target.value })}
      >
        {formats.map(({ name, title }) => (
          <option key={name} value={name}>
            {title}
          </option>
        ))}
      </Select>
      <AnswerView answer={answer} compared={isBusy ? undefined : compared} />
      <Outcome answer={answer} />
      {answer.state === 'done' && answer.blocks.length > 0 && (
        <Button className="self-start" onClick={() => onContinue(answer.blocks)}>
          Continue with this answer
        </Button>
      )}
      <Dialog
        open={showing === 'pipeline'}
        onClose={() => setShowing(undefined)}
        title="Pipeline of this column"
        wide
      >
        <PipelineChoice text={pipeline} onChange={(list) => onTarget({ ...target, pipeline: list })} />
      </Dialog>
      <Dialog open={showing === 'code'} onClose={() => setShowing(undefined)} title="Use this in code" wide>
        {chat !== undefined && (
          <CodeFor request={{ origin: location.origin, format, model, chat, pipeline }} />
        )}
      </Dialog>
    </section>
  );
}

interface AnswerViewProps {
  readonly answer: AnswerState;
  readonly compared: string | undefined;
}

function AnswerView({ answer: { state, blocks, error, stopReason }, compared }: AnswerViewProps) {
  return (
    <section
      aria-live="polite"
      aria-label="Answer"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
      tabIndex={0}
      className="flex min-h-48 flex-col gap-2 overflow-y-auto rounded-md bg-sunken p-3 text-sm md:max-h-[60vh]"
    >
      {state === 'idle' && <span className="text-muted">The answer appears here.</span>}
      {state === 'waiting' && <span className="text-muted">Waiting for the first token…</span>}
      {compared === undefined ? (
        <Blocks blocks={blocks.map((block) => ({ ...block }))} />
      ) : (
        <>
          <WordDiff runs={diffLists(wordsOf(compared), wordsOf(textOf(blocks)))} />
          <Blocks blocks={blocks.filter(({ type }) => type === 'tool_use').map((block) => ({ ...block }))} />
        </>
      )}
      {error !== undefined && <p className="wrap-anywhere text-failed">{sentence(error)}</p>}
      {isCut(stopReason) && <p className="text-xs text-refused">Cut off at the limit of output tokens.</p>}
    </section>
  );
}

/** In the words of all formats. */
function isCut(stopReason: string | undefined): boolean {
  return /^(max_tokens|length|max_output_tokens)$/i.test(stopReason ?? '');
}
