import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, told } from '../../api/client.ts';
import { type Pattern, patterns } from '../../api/queries.ts';
import { Button, Field, Select, TextArea } from '../../parts/controls.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { ago, utc } from '../../parts/format.ts';
import { Badge, Empty, Failure, Loaded, Rows, Section, type Tone } from '../../parts/states.tsx';
import { Evidence } from './evidence.tsx';

const tones: Readonly<Record<Pattern['state'], Tone>> = {
  active: 'saved',
  candidate: 'accent',
  retired: 'plain',
};

/** What was learned: to read, to change, to retire. */
export function Patterns() {
  const list = useInfiniteQuery(patterns);
  const [editing, setEditing] = useState<Pattern | 'new'>();
  return (
    <Section title="Patterns" aside={<Button onClick={() => setEditing('new')}>New pattern</Button>}>
      <Loaded of={list} loading={<Rows count={2} />}>
        {({ pages }) =>
          pages[0]?.patterns.length === 0 ? (
            <Empty title="No patterns yet.">
              The module patterns finds out what worked in conversations and brings it in where it helps. You
              can also write down what you know.
            </Empty>
          ) : (
            <ul className="flex flex-col">
              {pages
                .flatMap((page) => page.patterns)
                .map((pattern) => (
                  <li key={pattern.id}>
                    <button
                      type="button"
                      onClick={() => setEditing(pattern)}
                      className="grid w-full grid-cols-[1fr_auto] items-center gap-4 border-b border-line py-2 text-left text-sm hover:bg-sunken"
                    >
                      <span className="min-w-0">
                        <span className="block truncate">{pattern.advice}</span>
                        <span className="block truncate text-xs text-muted">When: {whenOf(pattern)}</span>
                        {pattern.conflicts.map(({ id, advice, is_used }) => (
                          <span key={id} className="block text-xs">
                            Contradicts “{advice}”.{' '}
                            {is_used ? 'That one is used, not this.' : 'This one is used, not that.'}
                          </span>
                        ))}
                      </span>
                      <span className="flex items-center gap-3 text-xs text-muted">
                        <span className="hidden sm:inline">
                          {pattern.wins} won · {pattern.losses} lost
                        </span>
                        <span className="hidden sm:inline" title={utc(pattern.updatedAt)}>
                          {ago(pattern.updatedAt)}
                        </span>
                        <Badge tone={tones[pattern.state]}>{pattern.state}</Badge>
                      </span>
                    </button>
                  </li>
                ))}
            </ul>
          )
        }
      </Loaded>
      {list.hasNextPage && (
        <Button
          className="self-center"
          busy={list.isFetchingNextPage}
          onClick={() => void list.fetchNextPage()}
        >
          More patterns
        </Button>
      )}
      {editing !== undefined && (
        <Editing pattern={editing === 'new' ? undefined : editing} onClose={() => setEditing(undefined)} />
      )}
    </Section>
  );
}

function whenOf({ trigger }: Pattern): string {
  if (typeof trigger === 'string') return trigger;
  const { text, tools = [], models = [] } = trigger;
  return [text, ...tools, ...models].filter((part) => part !== undefined).join(' · ');
}

function Editing({
  pattern,
  onClose,
}: {
  readonly pattern: Pattern | undefined;
  readonly onClose: () => void;
}) {
  const client = useQueryClient();
  const [trigger, setTrigger] = useState(pattern === undefined ? '' : whenOf(pattern));
  const [advice, setAdvice] = useState(pattern?.advice ?? '');
  const [state, setState] = useState<Pattern['state']>(pattern?.state ?? 'active');
  const [isAsking, setIsAsking] = useState(false);
  const isForAll = state === 'active' && pattern?.state !== 'active' && typeof pattern?.scope === 'string';
  const isText = pattern === undefined || typeof pattern.trigger === 'string';
  const done = async () => {
    await Promise.all(
      [['patterns'], ['pattern', pattern?.id]].map((queryKey) => client.invalidateQueries({ queryKey })),
    );
    onClose();
  };
  const saving = useMutation({
    mutationFn: async () => {
      const body = { advice, state, ...(isText && { trigger }) };
      if (pattern === undefined) return told(api.POST('/v1/patterns', { body: { ...body, trigger } }));
      return told(api.PATCH('/v1/patterns/{id}', { params: { path: { id: pattern.id } }, body }));
    },
    onSuccess: done,
  });
  const deleting = useMutation({
    mutationFn: () => told(api.DELETE('/v1/patterns/{id}', { params: { path: { id: pattern?.id ?? '' } } })),
    onSuccess: done,
  });
  const error = saving.error ?? deleting.error;
  return (
    <Dialog open onClose={onClose} title={pattern === undefined ? 'Write a pattern' : 'Pattern'}>
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          saving.mutate();
        }}
      >
        <Field
          label="When"
          hint={
            isText ? 'What the conversation is about.' : 'Has text, tools and models; change it with the API.'
          }
        >
          {(field) => (
            <TextArea
              {...field}
              required
              maxLength={1000}
              disabled={!isText}
              value={trigger}
              onChange={(event) => setTrigger(event.target.value)}
            />
          )}
        </Field>
        <Field label="Advice" hint="What the model should do.">
          {(field) => (
            <TextArea
              {...field}
              required
              maxLength={2000}
              value={advice}
              onChange={(event) => setAdvice(event.target.value)}
            />
          )}
        </Field>
        <Field label="State" {...(isForAll && { hint: 'When active, it applies to all end users.' })}>
          {(field) => (
            <Select
              {...field}
              value={state}
              onChange={(event) => setState(event.target.value as Pattern['state'])}
            >
              <option value="active">active: used where it fits</option>
              <option value="candidate">candidate: on trial</option>
              <option value="retired">retired: not used</option>
            </Select>
          )}
        </Field>
        {pattern !== undefined && <Evidence id={pattern.id} />}
        {error !== null && <Failure error={error} />}
        {isAsking ? (
          <div className="flex flex-wrap items-center justify-end gap-2">
            <p className="grow text-sm" role="alert">
              It can’t be brought back. Retired, it would stay and not be used.
            </p>
            <Button onClick={() => setIsAsking(false)}>Keep it</Button>
            <Button look="danger" busy={deleting.isPending} onClick={() => deleting.mutate()}>
              Delete for good
            </Button>
          </div>
        ) : (
          <div className="flex gap-2">
            {pattern !== undefined && (
              <Button look="danger" onClick={() => setIsAsking(true)}>
                Delete
              </Button>
            )}
            <Button type="submit" look="primary" className="ml-auto" busy={saving.isPending}>
              Save
            </Button>
          </div>
        )}
      </form>
    </Dialog>
  );
}
