import { efforts } from '../../parts/chat/chat.ts';
import { Field, Input, Select, TextArea } from '../../parts/controls.tsx';
import type { Draft } from './draft.ts';
import { ToolsEditor } from './tools-editor.tsx';

interface SettingsFieldsProps {
  readonly draft: Draft;
  readonly onChange: (change: Partial<Draft>) => void;
  /** Whether one of the chosen models may be able to do this. */
  readonly can: (feature: string) => boolean;
  readonly outputTokensMax: number | undefined;
}

const exampleSchema = `{
  "type": "object",
  "properties": { "answer": { "type": "string" } },
  "required": ["answer"],
  "additionalProperties": false
}`;

/** Parameters, the form of the answer, and tools, as far as the chosen models have them. */
export function SettingsFields({ draft, onChange, can, outputTokensMax }: SettingsFieldsProps) {
  const { maxTokens, temperature, topP, effort, schema } = draft;
  return (
    <div className="flex min-w-0 flex-col gap-3">
      <div className="grid grid-cols-2 gap-3">
        <NumberField
          label="Max. output tokens"
          value={maxTokens}
          min={1}
          max={outputTokensMax ?? 1_000_000}
          onChange={(value) => onChange({ maxTokens: value })}
        />
        <NumberField
          label="Temperature"
          value={temperature}
          min={0}
          max={2}
          step={0.1}
          onChange={(value) => onChange({ temperature: value })}
        />
        <NumberField
          label="Top p"
          value={topP}
          min={0}
          max={1}
          step={0.05}
          onChange={(value) => onChange({ topP: value })}
        />
        {can('thinking') && (
          <Field label="Reasoning effort">
            {(field) => (
              <Select
                {...field}
                value={effort ?? ''}
                onChange={({ target }) => onChange({ effort: efforts.find((one) => one === target.value) })}
              >
                <option value="">Default</option>
                {efforts.map((one) => (
                  <option key={one} value={one}>
                    {one.charAt(0).toUpperCase() + one.slice(1)}
                  </option>
                ))}
              </Select>
            )}
          </Field>
        )}
      </div>
      {(can('json_schema') || schema !== undefined) && (
        <label className="flex items-center gap-2 text-sm">
          <input
            type="checkbox"
            className="size-4 accent-accent"
            checked={schema !== undefined}
            onChange={({ target }) => onChange({ schema: target.checked ? exampleSchema : undefined })}
          />
          Answer as JSON by a schema
        </label>
      )}
      {schema !== undefined && (
        <TextArea
          aria-label="Schema of the answer"
          rows={6}
          spellCheck={false}
          className="font-mono text-xs!"
          value={schema}
          onChange={(event) => onChange({ schema: event.target.value })}
        />
      )}
      {(can('tools') || draft.tools.length > 0) && (
        <ToolsEditor tools={draft.tools} onChange={(tools) => onChange({ tools })} />
      )}
    </div>
  );
}

interface NumberFieldProps {
  readonly label: string;
  readonly value: number | undefined;
  readonly min: number;
  readonly max: number;
  readonly step?: number;
  readonly onChange: (value: number | undefined) => void;
}

function NumberField({ label, value, min, max, step = 1, onChange }: NumberFieldProps) {
  return (
    <Field label={label}>
      {(field) => (
        <Input
          {...field}
          type="number"
          min={min}
          max={max}
          step={step}
          placeholder="Default"
          value={value ?? ''}
          onChange={({ target }) => onChange(target.value === '' ? undefined : Number(target.value))}
        />
      )}
    </Field>
  );
}
