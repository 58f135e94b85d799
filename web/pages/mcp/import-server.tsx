import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { api, told } from '../../api/client.ts';
import { Field, TextArea } from '../../parts/controls.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { linesOf } from './server-texts.ts';
import { useServersChanged } from './use-servers-changed.ts';

/** A server as the MCP registry describes it. */
export function ImportServer({ onClose }: { readonly onClose: () => void }) {
  const [text, setText] = useState('');
  const [values, setValues] = useState('');
  const adding = useMutation({
    mutationFn: async () => {
      const body = { registry: registryIn(text), values: valuesIn(values) };
      return told(api.POST('/v1/mcp/servers', { body }));
    },
    onSuccess: useServersChanged(onClose),
  });
  return (
    <FormDialog
      title="Add a server from the registry"
      lead="Paste its server.json. It gets the last part of its name."
      action="Add"
      isIncomplete={text.trim() === ''}
      saving={adding}
      onClose={onClose}
    >
      <Field label="server.json">
        {(field) => (
          <TextArea
            {...field}
            rows={8}
            spellCheck={false}
            value={text}
            onChange={({ target }) => setText(target.value)}
          />
        )}
      </Field>
      <Field label="Values" hint="What the description asks for, one in each line, such as API_KEY=….">
        {(field) => (
          <TextArea {...field} rows={3} value={values} onChange={({ target }) => setValues(target.value)} />
        )}
      </Field>
    </FormDialog>
  );
}

function registryIn(text: string): { name: string; [field: string]: unknown } {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null) {
      const described = 'server' in value ? value.server : value;
      if (
        typeof described === 'object' &&
        described !== null &&
        'name' in described &&
        typeof described.name === 'string'
      )
        return { ...described, name: described.name };
    }
  } catch {
    // The same sentence for both.
  }
  throw new Error('This is no server.json: paste all of it, from { to }.');
}

function valuesIn(text: string): Record<string, string> {
  return Object.fromEntries(
    linesOf(text).map((line) => {
      const at = line.indexOf('=');
      return at < 0 ? [line, ''] : [line.slice(0, at).trim(), line.slice(at + 1).trim()];
    }),
  );
}
