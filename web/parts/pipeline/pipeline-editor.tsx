import { useQuery } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { type ModuleInfo, modules } from '../../api/queries.ts';
import { Button, Field, Input, Select } from '../controls.tsx';
import { OrderedList } from '../ordered-list.tsx';
import { Loaded, Rows } from '../states.tsx';
import { ConfigurationField } from './configuration-field.tsx';
import { OptionsForm } from './options-form.tsx';
import { betterOrder, type Stage, stagesOf, textOf } from './pipeline-text.ts';
import { usePipelineFaults } from './use-faults.ts';

interface EditorProps {
  readonly text: string;
  readonly onChange: (text: string) => void;
  /** What the gateway said when it was saved; what is wrong while typing is asked for here. */
  readonly fault?: string | undefined;
}

/** Modules in their order, the options of one, and the same as a line of text; each changes the others. */
export function PipelineEditor({ text, onChange, fault }: EditorProps) {
  const known = useQuery(modules);
  return (
    <Loaded of={known} loading={<Rows count={4} />}>
      {(data) => <Editor known={data.modules} text={text} onChange={onChange} fault={fault} />}
    </Loaded>
  );
}

function Editor({ known, text, onChange, fault }: EditorProps & { readonly known: readonly ModuleInfo[] }) {
  const stages = stagesOf(text);
  const [chosen, setChosen] = useState<string>();
  const selected = stages.find(({ name }) => name === chosen) ?? stages[0];
  const info = known.find(({ name }) => name === selected?.name);
  const better = betterOrder(stages, known);
  const faults = usePipelineFaults(text) ?? [];
  const put = (next: readonly Stage[]) => onChange(textOf(next));
  const change = (changes: Partial<Stage>) =>
    put(stages.map((stage) => (stage.name === selected?.name ? { ...stage, ...changes } : stage)));
  const left = known.filter(({ name }) => !stages.some((stage) => stage.name === name));
  return (
    <div className="flex flex-col gap-4">
      <div className="grid gap-4 sm:grid-cols-[15rem_minmax(0,1fr)]">
        <div className="flex flex-col gap-2">
          <OrderedList
            label="Modules in order"
            empty="No modules"
            names={stages.map(({ name }) => name)}
            selected={selected?.name}
            onSelect={setChosen}
            onChange={(order) => put(order.flatMap((at) => stages[at] ?? []))}
          />
          {left.length > 0 && (
            <div className="flex items-center gap-1">
              <Plus aria-hidden className="size-4 shrink-0 text-muted" />
              <Select
                aria-label="Add a module"
                value=""
                onChange={(event) => {
                  setChosen(event.target.value);
                  put([...stages, { name: event.target.value, options: {} }]);
                }}
              >
                <option value="">Add a module…</option>
                {left.map(({ name }) => (
                  <option key={name} value={name}>
                    {name}
                  </option>
                ))}
              </Select>
            </div>
          )}
        </div>
        {selected !== undefined && info !== undefined ? (
          <div key={selected.name} className="flex min-w-0 flex-col gap-3">
            <OptionsForm info={info} values={selected.options} onChange={(options) => change({ options })} />
            <ConfigurationField
              module={selected.name}
              chosen={selected.configuration}
              onChoose={(configuration) => change({ configuration })}
            />
          </div>
        ) : (
          <p className="text-sm text-muted">
            {selected === undefined
              ? 'No modules: calls are passed through unchanged.'
              : `“${selected.name}” is not a module of this gateway.`}
          </p>
        )}
      </div>
      {better !== undefined && (
        <div
          role="status"
          className="flex flex-wrap items-center gap-3 rounded-md bg-refused-soft px-3 py-2 text-sm text-refused"
        >
          <span className="min-w-0 grow">
            These modules do better in another order: {better.map(({ name }) => name).join(', ')}.
          </span>
          <Button onClick={() => put(better)}>Put in order</Button>
        </div>
      )}
      <Field
        label="As text"
        hint="Names in order, with their options. This is what a header, a key or WEIR_PIPELINE takes."
        error={faults.length > 0 ? faults : fault}
      >
        {(field) => (
          <Input
            {...field}
            className="font-mono text-xs!"
            spellCheck={false}
            value={text}
            onChange={(event) => onChange(event.target.value)}
          />
        )}
      </Field>
    </div>
  );
}
