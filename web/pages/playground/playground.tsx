import { useQuery } from '@tanstack/react-query';
import { Columns3, Play, Square } from 'lucide-react';
import { useCallback, useRef, useState } from 'react';
import { capabilities, localSession, models } from '../../api/queries.ts';
import { Button, commandKey, Field, Input, Key, TextArea } from '../../parts/controls.tsx';
import { Page, Skeleton } from '../../parts/states.tsx';
import { Column, type Handle } from './column.tsx';
import { Credential } from './credential.tsx';

const columnsMax = 3;

/** One prompt to up to three models or pipelines, side by side. */
export function Playground() {
  const { data: about } = useQuery(capabilities);
  const isLocal = about?.mode === 'local';
  const { data: session } = useQuery({ ...localSession, enabled: isLocal });
  const known = useQuery(models);
  const [prompt, setPrompt] = useState('Say in one sentence what a weir is.');
  const [system, setSystem] = useState('');
  const [maxTokens, setMaxTokens] = useState(512);
  const [credential, setCredential] = useState('');
  const [columns, setColumns] = useState([1]);
  const [busy, setBusy] = useState<ReadonlySet<number>>(new Set());
  const handles = useRef(new Map<number, Handle>());
  const asks = about?.mode === 'cloud' || session?.required === true;
  const isBusy = busy.size > 0;
  const isReady = prompt.trim() !== '' && !isBusy && !(asks && credential === '');
  const run = () => {
    if (!isReady) return;
    for (const handle of handles.current.values()) handle.run();
  };
  const stop = () => {
    for (const handle of handles.current.values()) handle.stop();
  };
  const report = useCallback((column: number, is: boolean) => {
    setBusy((before) => {
      if (before.has(column) === is) return before;
      const next = new Set(before);
      if (is) next.add(column);
      else next.delete(column);
      return next;
    });
  }, []);
  const remove = (column: number) => {
    setColumns(columns.filter((one) => one !== column));
    report(column, false);
  };
  // The one that costs nothing, where it is there.
  const first = known.data?.includes('demo-1') === false ? (known.data[0] ?? '') : 'demo-1';
  return (
    <Page
      title="Playground"
      lead="The same prompt to several models or pipelines, streamed, with what each cost."
    >
      {asks && <Credential value={credential} onChange={setCredential} isLocal={isLocal} />}
      <form
        className="flex flex-col gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          run();
        }}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.metaKey || event.ctrlKey)) run();
        }}
      >
        <div className="grid gap-3 md:grid-cols-[1fr_18rem]">
          <Field label="Prompt">
            {(field) => (
              <TextArea
                {...field}
                rows={4}
                value={prompt}
                onChange={(event) => setPrompt(event.target.value)}
              />
            )}
          </Field>
          <div className="flex flex-col gap-3">
            <Field label="System">
              {(field) => (
                <Input
                  {...field}
                  value={system}
                  placeholder="none"
                  onChange={(event) => setSystem(event.target.value)}
                />
              )}
            </Field>
            <Field label="Max. output tokens">
              {(field) => (
                <Input
                  {...field}
                  type="number"
                  min={1}
                  max={200_000}
                  value={maxTokens}
                  onChange={(event) => setMaxTokens(Number(event.target.value))}
                />
              )}
            </Field>
          </div>
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
          {asks && credential === '' && (
            <span className="text-xs text-muted">A key is required: paste one above, or create one.</span>
          )}
          {columns.length < columnsMax && (
            <Button className="ml-auto" onClick={() => setColumns([...columns, Math.max(...columns) + 1])}>
              <Columns3 aria-hidden className="size-3.5" /> Add a column
            </Button>
          )}
        </div>
      </form>
      <datalist id="playground-models">
        {(known.data ?? []).map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      {known.isPending ? (
        <Skeleton className="h-80" />
      ) : (
        <div
          className={`grid items-start gap-4 ${columns.length === 1 ? '' : columns.length === 2 ? 'md:grid-cols-2' : 'md:grid-cols-3'}`}
        >
          {columns.map((column) => (
            <Column
              key={column}
              handle={(handle) => {
                if (handle === null) handles.current.delete(column);
                else handles.current.set(column, handle);
              }}
              prompt={prompt}
              system={system}
              maxTokens={maxTokens}
              credential={credential}
              first={{ model: first }}
              onBusy={(is) => report(column, is)}
              onRemove={columns.length === 1 ? undefined : () => remove(column)}
            />
          ))}
        </div>
      )}
    </Page>
  );
}
