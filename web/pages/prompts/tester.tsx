import { useMutation, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { api, told } from '../../api/client.ts';
import { promptVersion, type RenderedPrompt, type StoredPrompt } from '../../api/queries.ts';
import { Button, Code, Field, Select, TextArea } from '../../parts/controls.tsx';
import { Failure, Loaded, Rows, Section } from '../../parts/states.tsx';
import { type Draft, newDraft, textTurn } from '../playground/draft.ts';
import { packDraft } from '../playground/share.ts';

/** Fills in variables and shows what a call would begin with. */
export function Tester({ prompt }: { readonly prompt: StoredPrompt }) {
  const { name, labels, versions } = prompt;
  const [selected, setSelected] = useState('latest');
  const version = useQuery(promptVersion(name, selected));
  return (
    <Section title="Try it">
      <Field label="Version or label">
        {(field) => (
          <Select
            {...field}
            className="w-48!"
            value={selected}
            onChange={({ target }) => setSelected(target.value)}
          >
            {['latest', ...labels.map(({ label }) => label)].map((label) => (
              <option key={label} value={label}>
                {label}
              </option>
            ))}
            {versions.map((one) => (
              <option key={one.version} value={one.version}>
                version {one.version}
              </option>
            ))}
          </Select>
        )}
      </Field>
      <Loaded of={version} loading={<Rows count={2} />}>
        {(found) => (
          <VariablesForm
            key={`${found.version}`}
            name={name}
            version={found.version}
            variables={found.variables}
          />
        )}
      </Loaded>
    </Section>
  );
}

interface VariablesFormProps {
  readonly name: string;
  readonly version: number;
  readonly variables: Readonly<
    Record<string, { readonly default?: string | undefined; readonly description?: string | undefined }>
  >;
}

function VariablesForm({ name, version, variables }: VariablesFormProps) {
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  const rendering = useMutation({
    mutationFn: () =>
      told(
        api.POST('/v1/prompts/{name}/render', {
          params: { path: { name } },
          body: { version, variables: given(values) },
        }),
      ),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    rendering.mutate();
  };
  return (
    <>
      <form onSubmit={submit} className="flex flex-col gap-3">
        {Object.entries(variables).map(([variable, { default: usual, description }]) => (
          <Field
            key={variable}
            label={variable}
            hint={description ?? (usual === undefined ? 'A call must give it.' : undefined)}
          >
            {(field) => (
              <TextArea
                {...field}
                rows={1}
                className="min-h-9!"
                placeholder={usual}
                value={values[variable] ?? ''}
                onChange={({ target }) => setValues({ ...values, [variable]: target.value })}
              />
            )}
          </Field>
        ))}
        {Object.keys(variables).length === 0 && (
          <p className="text-sm text-muted">This version has no variables.</p>
        )}
        <div>
          <Button type="submit" busy={rendering.isPending}>
            Fill in
          </Button>
        </div>
      </form>
      {rendering.error !== null && <Failure error={rendering.error} />}
      {rendering.data !== undefined && <Rendered rendered={rendering.data} />}
    </>
  );
}

function Rendered({ rendered }: { readonly rendered: RenderedPrompt }) {
  const { system, messages } = rendered;
  const navigate = useNavigate();
  const [isTooLong, setTooLong] = useState(false);
  const open = async () => {
    const draft = await packDraft(draftOf(rendered));
    if (draft === undefined) setTooLong(true);
    else await navigate({ to: '/playground', search: { draft } });
  };
  return (
    <section aria-label="Filled in" className="flex min-w-0 flex-col gap-3">
      {system !== null && <Code wraps text={system} label="system" />}
      {messages.map(({ role, content }, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: messages have no other name, and keep their order
        <Code key={at} wraps text={content} label={role} />
      ))}
      <div className="flex flex-wrap items-center gap-3">
        <Button onClick={() => void open()}>Open in playground</Button>
        {isTooLong && (
          <span role="alert" className="text-xs text-failed">
            These texts are too long for the playground’s address.
          </span>
        )}
      </div>
    </section>
  );
}

/** An empty field stands for the default. */
function given(values: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ''));
}

function draftOf({ model, system, messages, max_tokens, temperature, top_p }: RenderedPrompt): Draft {
  const turns = messages.map(({ role, content }) => textTurn(role, content));
  const draft = newDraft(model ?? 'demo-1');
  return {
    ...draft,
    system: system ?? '',
    turns: turns.at(-1)?.role === 'user' ? turns : [...turns, textTurn('user', 'Hello')],
    maxTokens: max_tokens ?? draft.maxTokens,
    ...(temperature !== null && { temperature }),
    ...(top_p !== null && { topP: top_p }),
  };
}
