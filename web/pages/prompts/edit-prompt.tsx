import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiError, api, told } from '../../api/client.ts';
import { models, type PromptVersion } from '../../api/queries.ts';
import { Button, Field, Input, Select, TextArea } from '../../parts/controls.tsx';
import { FormDialog, NameField } from '../../parts/form-dialog.tsx';
import { sentence } from '../../parts/states.tsx';
import { SuggestedInput } from '../../parts/suggested-input.tsx';
import { variablesIn } from './prompt-text.ts';
import { usePromptsChanged } from './use-prompts-changed.ts';

interface EditPromptProps {
  /** The version that the new one begins as; undefined for a new prompt. */
  readonly from?: PromptVersion;
  readonly onClose: () => void;
  readonly onStored: (name: string) => void;
}

interface EditedMessage {
  readonly id: number;
  readonly role: 'user' | 'assistant';
  readonly content: string;
}

type Texts = Readonly<Record<string, string>>;

/** A new prompt, or a new version of one. */
export function EditPrompt({ from, onClose, onStored }: EditPromptProps) {
  const [name, setName] = useState(from?.name ?? '');
  const [system, setSystem] = useState(from?.system ?? '');
  const [edited, setEdited] = useState<readonly EditedMessage[]>(() => editedOf(from));
  const [defaults, setDefaults] = useState<Texts>(() => defaultsOf(from));
  const [settings, setSettings] = useState<Texts>(() => settingsOf(from));
  const [labels, setLabels] = useState('');
  const [note, setNote] = useState('');
  const variables = variablesIn([system, ...edited.map(({ content }) => content)]);
  const changed = usePromptsChanged();
  const saving = useMutation({
    mutationFn: () => {
      const body = {
        ...(system !== '' && { system }),
        ...(edited.length > 0 && { messages: edited.map(({ role, content }) => ({ role, content })) }),
        ...sentSettings(settings),
        variables: Object.fromEntries(
          variables.map((variable) => [variable, declarationOf(variable, from, defaults)]),
        ),
        labels: labels.split(/[\s,]+/).filter((label) => label !== ''),
        ...(note !== '' && { note }),
      };
      return told(
        from === undefined
          ? api.POST('/v1/prompts', { body: { name, ...body } })
          : api.POST('/v1/prompts/{name}/versions', { params: { path: { name } }, body }),
      );
    },
    onSuccess: async () => {
      await changed();
      onStored(name);
    },
  });
  const { error } = saving;
  const nameFault = error instanceof ApiError && error.code === 'prompt_exists' ? error : undefined;
  const isEmpty = system === '' && edited.length === 0;
  return (
    <FormDialog
      onClose={onClose}
      title={from === undefined ? 'New prompt' : `New version of ${from.name}`}
      lead="{{name}} stands for the value of a variable. \{{ stands for two braces."
      action={from === undefined ? 'Create' : 'Store'}
      isIncomplete={isEmpty}
      saving={saving}
      isFaultInField={nameFault !== undefined}
    >
      {from === undefined && (
        <NameField
          hint="Letters, digits, dots and hyphens."
          error={nameFault && sentence(nameFault.message)}
          value={name}
          onChange={setName}
        />
      )}
      <Field label="Instructions">
        {(field) => (
          <TextArea {...field} rows={6} value={system} onChange={({ target }) => setSystem(target.value)} />
        )}
      </Field>
      <Messages edited={edited} onChange={setEdited} />
      {variables.length > 0 && (
        <fieldset className="grid min-w-0 gap-3 sm:grid-cols-2">
          <legend className="mb-1 text-sm font-medium">Defaults of the variables</legend>
          {variables.map((variable) => (
            <Field key={variable} label={variable}>
              {(field) => (
                <Input
                  {...field}
                  placeholder="none: a call must give it"
                  value={defaults[variable] ?? ''}
                  onChange={({ target }) => setDefaults({ ...defaults, [variable]: target.value })}
                />
              )}
            </Field>
          ))}
        </fieldset>
      )}
      <SettingsFields settings={settings} onChange={setSettings} />
      <div className="grid gap-4 sm:grid-cols-2">
        <Field
          label="Labels to move to it"
          hint="Such as staging; calls with the label get this version at once."
        >
          {(field) => (
            <Input
              {...field}
              autoComplete="off"
              spellCheck={false}
              value={labels}
              onChange={({ target }) => setLabels(target.value)}
            />
          )}
        </Field>
        <Field label="Note" hint="What changed, for the history.">
          {(field) => (
            <Input
              {...field}
              maxLength={1000}
              value={note}
              onChange={({ target }) => setNote(target.value)}
            />
          )}
        </Field>
      </div>
    </FormDialog>
  );
}

interface MessagesProps {
  readonly edited: readonly EditedMessage[];
  readonly onChange: (edited: readonly EditedMessage[]) => void;
}

function Messages({ edited, onChange }: MessagesProps) {
  const change = (id: number, changes: Partial<EditedMessage>) =>
    onChange(edited.map((message) => (message.id === id ? { ...message, ...changes } : message)));
  const add = () =>
    onChange([
      ...edited,
      {
        id: Math.max(0, ...edited.map(({ id }) => id)) + 1,
        role: edited.at(-1)?.role === 'user' ? 'assistant' : 'user',
        content: '',
      },
    ]);
  return (
    <fieldset className="flex min-w-0 flex-col gap-2">
      <legend className="mb-1 text-sm font-medium">First messages</legend>
      {edited.map(({ id, role, content }, at) => (
        <div key={id} className="flex flex-wrap items-start gap-2">
          <Select
            aria-label={`Role of message ${at + 1}`}
            className="w-32!"
            value={role}
            onChange={({ target }) =>
              change(id, { role: target.value === 'assistant' ? 'assistant' : 'user' })
            }
          >
            <option value="user">user</option>
            <option value="assistant">assistant</option>
          </Select>
          <TextArea
            aria-label={`Text of message ${at + 1}`}
            required
            rows={2}
            className="min-w-0 grow basis-64"
            value={content}
            onChange={({ target }) => change(id, { content: target.value })}
          />
          <Button
            look="quiet"
            aria-label={`Remove message ${at + 1}`}
            onClick={() => onChange(edited.filter((message) => message.id !== id))}
          >
            Remove
          </Button>
        </div>
      ))}
      <div>
        <Button onClick={add}>Add a message</Button>
      </div>
    </fieldset>
  );
}

const numbers = [
  ['max_tokens', 'Maximum tokens', '1'],
  ['temperature', 'Temperature', 'any'],
  ['top_p', 'Top P', 'any'],
] as const;

function SettingsFields({
  settings,
  onChange,
}: {
  readonly settings: Texts;
  readonly onChange: (settings: Texts) => void;
}) {
  const { data: callable = [] } = useQuery(models);
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <Field label="Model" hint="For calls that name none.">
        {(field) => (
          <SuggestedInput
            {...field}
            suggestions={callable}
            className="font-mono text-xs!"
            value={settings.model ?? ''}
            onChange={({ target }) => onChange({ ...settings, model: target.value })}
          />
        )}
      </Field>
      {numbers.map(([field, label, step]) => (
        <Field key={field} label={label} hint="For calls that set none.">
          {(own) => (
            <Input
              {...own}
              type="number"
              min={field === 'max_tokens' ? 1 : 0}
              step={step}
              value={settings[field] ?? ''}
              onChange={({ target }) => onChange({ ...settings, [field]: target.value })}
            />
          )}
        </Field>
      ))}
    </div>
  );
}

function editedOf(from: PromptVersion | undefined): readonly EditedMessage[] {
  return (from?.messages ?? []).map(({ role, content }, id) => ({
    id,
    role: role === 'assistant' ? 'assistant' : 'user',
    content,
  }));
}

function defaultsOf(from: PromptVersion | undefined): Texts {
  return Object.fromEntries(
    Object.entries(from?.variables ?? {}).map(([name, { default: value = '' }]) => [name, value]),
  );
}

function settingsOf(from: PromptVersion | undefined): Texts {
  const { model, max_tokens, temperature, top_p } = from ?? {};
  return Object.fromEntries(
    Object.entries({ model, max_tokens, temperature, top_p }).map(([name, value]) => [
      name,
      value === undefined ? '' : String(value),
    ]),
  );
}

function sentSettings({ model = '', ...rest }: Texts) {
  const sent = numbers.flatMap(([field]) =>
    (rest[field] ?? '') === '' ? [] : [[field, Number(rest[field])] as const],
  );
  return { ...(model.trim() !== '' && { model: model.trim() }), ...Object.fromEntries(sent) };
}

/** The description stays; an empty field is no default. */
function declarationOf(variable: string, from: PromptVersion | undefined, defaults: Texts) {
  const description = from?.variables[variable]?.description;
  const value = defaults[variable] ?? '';
  return { ...(description !== undefined && { description }), ...(value !== '' && { default: value }) };
}
