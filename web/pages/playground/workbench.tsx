import { useQuery } from '@tanstack/react-query';
import { Columns3, Play, Square } from 'lucide-react';
import { useCallback, useRef, useState } from 'react';
import { capabilities, models } from '../../api/queries.ts';
import { type ChatBlock, callsOf } from '../../parts/chat/chat.ts';
import { Button, commandKey, Key } from '../../parts/controls.tsx';
import { addToHistory } from '../../parts/playground-history.ts';
import { Page } from '../../parts/states.tsx';
import { Column, type ColumnState, type Handle } from './column.tsx';
import { ConversationEditor } from './conversation-editor.tsx';
import { Credential } from './credential.tsx';
import { chatOf, type Draft, type Target, targetsMax, textTurn } from './draft.ts';
import { History } from './history.tsx';
import { SettingsFields } from './settings-fields.tsx';
import { ShareButton } from './share-button.tsx';
import { useFeatures } from './use-features.ts';

interface WorkbenchProps {
  readonly first: Draft;
  /** What to know about where the draft came from. */
  readonly note: string | undefined;
}

/** The draft, its models, and their answers. */
export function Workbench({ first, note }: WorkbenchProps) {
  const { data: about } = useQuery(capabilities);
  const { data: known = [] } = useQuery(models);
  const [draft, setDraft] = useState(first);
  const [ids, setIds] = useState(() => first.targets.map((_, index) => index));
  const [credential, setCredential] = useState('');
  const [states, setStates] = useState<ReadonlyMap<number, ColumnState>>(new Map());
  const [isCompared, setCompared] = useState(false);
  const [showsHistory, setShowsHistory] = useState(false);
  const handles = useRef(new Map<number, Handle>());
  const answers = useRef<HTMLDivElement>(null);
  const { can, outputTokensMax, warnings } = useFeatures(draft);
  const change = (part: Partial<Draft>) => setDraft((before) => ({ ...before, ...part }));
  const read = chatOf(draft);
  const chat = 'chat' in read ? read.chat : undefined;
  const isCloud = about?.mode === 'cloud';
  const isBusy = ids.some((id) => states.get(id)?.isBusy === true);
  const isReady = chat !== undefined && !isBusy && !(isCloud && credential === '');
  const run = () => {
    if (!isReady) return;
    addToHistory(withoutImages(draft));
    for (const handle of handles.current.values()) handle.run();
    // On a phone the answer is below everything else.
    if (matchMedia('(max-width: 767px)').matches) answers.current?.scrollIntoView({ block: 'start' });
  };
  const stop = () => {
    for (const handle of handles.current.values()) handle.stop();
  };
  const report = useCallback((id: number, state: ColumnState) => {
    setStates((before) => {
      const { isBusy, text } = before.get(id) ?? {};
      return isBusy === state.isBusy && text === state.text ? before : new Map(before).set(id, state);
    });
  }, []);
  const setTarget = (index: number, target: Target) => change({ targets: draft.targets.with(index, target) });
  const addTarget = () => {
    setIds([...ids, Math.max(...ids) + 1]);
    const [model] = draft.targets.slice(-1);
    if (model !== undefined) change({ targets: [...draft.targets, model] });
  };
  const removeTarget = (index: number) => {
    setIds(ids.toSpliced(index, 1));
    change({ targets: draft.targets.toSpliced(index, 1) });
  };
  const open = (opened: Draft) => {
    setDraft(opened);
    setIds(opened.targets.map((_, index) => Math.max(...ids) + 1 + index));
    setShowsHistory(false);
  };
  /** The answer becomes part of the conversation, with room for what comes next. */
  const goOn = (blocks: readonly ChatBlock[]) => {
    const results = callsOf(blocks).map(({ id }) => {
      return { type: 'tool_result', tool_use_id: id, content: '' } as const;
    });
    const next = results.length === 0 ? textTurn('user', '') : ({ role: 'user', content: results } as const);
    change({ turns: [...(chat?.turns ?? draft.turns), { role: 'assistant', content: blocks }, next] });
  };
  const firstText = states.get(ids[0] ?? -1)?.text ?? '';
  return (
    <Page
      title="Playground"
      lead="One conversation with several models or pipelines, streamed, with what each cost."
      actions={
        <>
          <Button onClick={() => setShowsHistory(true)}>History</Button>
          <ShareButton draft={draft} />
        </>
      }
    >
      {note !== undefined && <p className="rounded-md bg-sunken px-3 py-2 text-sm">{note}</p>}
      {isCloud && <Credential value={credential} onChange={setCredential} />}
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          run();
        }}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.metaKey || event.ctrlKey)) run();
        }}
      >
        <div className="grid items-start gap-6 md:grid-cols-[minmax(0,1fr)_20rem]">
          <ConversationEditor draft={draft} onChange={change} />
          <SettingsFields draft={draft} onChange={change} can={can} outputTokensMax={outputTokensMax} />
        </div>
        <div className="flex flex-wrap items-center gap-2">
          <Button type="submit" look="primary" disabled={!isReady}>
            <Play aria-hidden className="size-3.5" /> Run
          </Button>
          {isBusy && (
            <Button onClick={stop}>
              <Square aria-hidden className="size-3.5" /> Stop
            </Button>
          )}
          <span className="hidden items-center gap-1 text-xs text-muted sm:flex">
            <Key>{commandKey}</Key>
            <Key>↵</Key>
          </span>
          <span role="status" className="text-xs wrap-anywhere text-muted">
            {'fault' in read
              ? `${read.fault}.`
              : isCloud && credential === ''
                ? 'A key is required: paste one above, or create one.'
                : warnings.join(' ')}
          </span>
          <span className="ml-auto flex flex-wrap gap-2">
            {ids.length > 1 && (
              <Button aria-pressed={isCompared} onClick={() => setCompared(!isCompared)}>
                {isCompared ? 'Show answers' : 'Show differences'}
              </Button>
            )}
            {ids.length < targetsMax && (
              <Button onClick={addTarget}>
                <Columns3 aria-hidden className="size-3.5" /> Add a column
              </Button>
            )}
          </span>
        </div>
      </form>
      <datalist id="playground-models">
        {known.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      <div ref={answers} className={`grid scroll-mt-16 items-start gap-4 ${columnLooks[ids.length]}`}>
        {ids.map((id, index) => (
          <Column
            key={id}
            handle={(handle) => {
              if (handle === null) handles.current.delete(id);
              else handles.current.set(id, handle);
            }}
            target={draft.targets[index] ?? { model: '', format: '' }}
            onTarget={(target) => setTarget(index, target)}
            chat={chat}
            credential={credential}
            compared={isCompared && index > 0 && firstText !== '' ? firstText : undefined}
            onState={(state) => report(id, state)}
            onContinue={goOn}
            onRemove={ids.length === 1 ? undefined : () => removeTarget(index)}
          />
        ))}
      </div>
      {showsHistory && <History onOpen={open} onClose={() => setShowsHistory(false)} />}
    </Page>
  );
}

const columnLooks: Readonly<Record<number, string>> = {
  2: 'md:grid-cols-2',
  3: 'md:grid-cols-3',
  4: 'md:grid-cols-2 xl:grid-cols-4',
};

/** Images would fill the browser's storage. */
function withoutImages(draft: Draft): Draft {
  return {
    ...draft,
    turns: draft.turns.map(({ role, content }) => {
      return { role, content: content.filter(({ type }) => type !== 'image') };
    }),
  };
}
