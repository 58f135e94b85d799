import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { api, told } from '../../api/client.ts';
import type { StoredPrompt } from '../../api/queries.ts';
import { Button, Field, Input, Select } from '../../parts/controls.tsx';
import { ago } from '../../parts/format.ts';
import { useRights } from '../../parts/rights.tsx';
import { Failure, Section } from '../../parts/states.tsx';
import { usePromptsChanged } from './use-prompts-changed.ts';

/** The labels of a prompt, each with the version that it points to; another choice moves it. */
export function Labels({ prompt }: { readonly prompt: StoredPrompt }) {
  const { name, labels, latest } = prompt;
  const [typed, setTyped] = useState('');
  const changed = usePromptsChanged();
  const moving = useMutation({
    mutationFn: ({ label, version }: { readonly label: string; readonly version: number }) =>
      told(
        api.PUT('/v1/prompts/{name}/labels/{label}', {
          params: { path: { name, label } },
          body: { version },
        }),
      ),
    onSuccess: changed,
  });
  const deleting = useMutation({
    mutationFn: (label: string) =>
      told(api.DELETE('/v1/prompts/{name}/labels/{label}', { params: { path: { name, label } } })),
    onSuccess: changed,
  });
  const add = (event: FormEvent) => {
    event.preventDefault();
    moving.mutate({ label: typed.trim(), version: latest }, { onSuccess: () => setTyped('') });
  };
  const error = moving.error ?? deleting.error;
  const mayChange = useRights()('settings:write');
  return (
    <Section title="Labels" aside={`latest is always the newest version, ${latest}`}>
      <ul aria-label="Labels" className="flex flex-col">
        {labels.map(({ label, version, updatedAt }) => (
          <li key={label} className="flex flex-wrap items-center gap-x-4 gap-y-2 border-b border-line py-2">
            <code className="min-w-0 grow basis-32 truncate font-mono text-sm font-medium">{label}</code>
            <span className="text-xs text-muted">moved {ago(updatedAt)}</span>
            <Select
              aria-label={`Version of ${label}`}
              className="w-36!"
              value={version}
              disabled={!mayChange || moving.isPending}
              onChange={({ target }) => moving.mutate({ label, version: Number(target.value) })}
            >
              {prompt.versions.map((one) => (
                <option key={one.version} value={one.version}>
                  version {one.version}
                </option>
              ))}
            </Select>
            {mayChange && (
              <Button
                look="quiet"
                aria-label={`Delete label ${label}`}
                onClick={() => deleting.mutate(label)}
              >
                Delete
              </Button>
            )}
          </li>
        ))}
      </ul>
      {mayChange && (
        <form onSubmit={add} className="flex items-end gap-2">
          <Field label="Add a label">
            {(field) => (
              <Input
                {...field}
                maxLength={64}
                placeholder="prod"
                autoComplete="off"
                spellCheck={false}
                className="font-mono text-xs!"
                value={typed}
                onChange={({ target }) => setTyped(target.value)}
              />
            )}
          </Field>
          <Button type="submit" disabled={typed.trim() === ''} busy={moving.isPending}>
            Add
          </Button>
        </form>
      )}
      {error !== null && <Failure error={error} />}
    </Section>
  );
}
