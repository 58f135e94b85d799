import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiError, api, told } from '../../api/client.ts';
import type { Rule } from '../../api/queries.ts';
import { Choice, Field, Input, Select, TextArea } from '../../parts/controls.tsx';
import { FormDialog, NameField } from '../../parts/form-dialog.tsx';
import { sentence } from '../../parts/states.tsx';
import { appliesToTexts, definitionOf, draftOf, type RuleAction, type RuleDraft } from './rule-draft.ts';
import { TextCheck } from './text-check.tsx';
import { useRulesChanged } from './use-rules-changed.ts';

interface EditRuleProps {
  /** Undefined for a new one. */
  readonly rule?: Rule;
  readonly onClose: () => void;
}

const actionHints: Readonly<Record<RuleAction, string>> = {
  monitor: 'Findings are counted.',
  redact: 'Findings are replaced before they leave.',
  block: 'Calls with a finding are rejected, and answers are cut before it.',
};

export function EditRule({ rule, onClose }: EditRuleProps) {
  const [draft, setDraft] = useState(() => draftOf(rule));
  const set = (change: Partial<RuleDraft>) => setDraft((before) => ({ ...before, ...change }));
  const saving = useMutation({
    mutationFn: () =>
      told(
        api.PUT('/v1/guardrails/rules/{name}', {
          params: { path: { name: draft.name } },
          body: definitionOf(draft),
        }),
      ),
    onSuccess: useRulesChanged(onClose),
  });
  const { error } = saving;
  const patternFault = error instanceof ApiError && error.message.startsWith('pattern: ') ? error : undefined;
  const isEmpty = (draft.kind === 'pattern' ? draft.pattern : draft.words).trim() === '';
  return (
    <FormDialog
      onClose={onClose}
      title={rule === undefined ? 'New rule' : `Rule ${rule.name}`}
      action={rule === undefined ? 'Create' : 'Save'}
      isIncomplete={isEmpty}
      saving={saving}
      isFaultInField={patternFault !== undefined}
    >
      {rule === undefined && (
        <NameField
          hint="Pipelines list it: guardrails?rules=codenames"
          value={draft.name}
          onChange={(name) => set({ name })}
        />
      )}
      <Choice
        label="What it looks for"
        value={draft.kind}
        options={[
          ['words', 'Words'],
          ['pattern', 'Regular expression'],
        ]}
        onChange={(kind) => set({ kind })}
      />
      <SoughtField draft={draft} fault={patternFault && sentence(patternFault.message)} set={set} />
      <div className="grid gap-4 sm:grid-cols-2">
        <Field label="Action" hint={actionHints[draft.action]}>
          {(field) => (
            <Select
              {...field}
              value={draft.action}
              onChange={({ target }) => set({ action: target.value as RuleAction })}
            >
              {Object.keys(actionHints).map((action) => (
                <option key={action} value={action}>
                  {action}
                </option>
              ))}
            </Select>
          )}
        </Field>
        <Field label="Applies to">
          {(field) => (
            <Select
              {...field}
              value={draft.appliesTo}
              onChange={({ target }) => set({ appliesTo: target.value as RuleDraft['appliesTo'] })}
            >
              {Object.entries(appliesToTexts).map(([value, text]) => (
                <option key={value} value={value}>
                  {text}
                </option>
              ))}
            </Select>
          )}
        </Field>
      </div>
      {draft.action === 'redact' && (
        <Field
          label="Replacement"
          hint="Without one, a placeholder stands in for each value, and answers get the value back."
        >
          {(field) => (
            <Input
              {...field}
              maxLength={200}
              placeholder="a placeholder"
              value={draft.replacement}
              onChange={({ target }) => set({ replacement: target.value })}
            />
          )}
        </Field>
      )}
      <TextCheck rule={isEmpty ? undefined : definitionOf(draft)} rows={3} />
    </FormDialog>
  );
}

interface SoughtFieldProps {
  readonly draft: RuleDraft;
  readonly fault: string | undefined;
  readonly set: (change: Partial<RuleDraft>) => void;
}

function SoughtField({ draft, fault, set }: SoughtFieldProps) {
  return draft.kind === 'pattern' ? (
    <Field
      label="Regular expression"
      hint="RE2 syntax, without look-around and back-references. (?i) at its beginning ignores case."
      error={fault}
    >
      {(field) => (
        <Input
          {...field}
          maxLength={500}
          autoComplete="off"
          spellCheck={false}
          className="font-mono text-xs!"
          placeholder="\bOPS-\d{3,6}\b"
          value={draft.pattern}
          onChange={({ target }) => set({ pattern: target.value })}
        />
      )}
    </Field>
  ) : (
    <Field
      label="Words and phrases, one in each line"
      hint="Found in any case, and also if they are disguised by digits, look-alike letters or separators."
    >
      {(field) => (
        <TextArea
          {...field}
          rows={4}
          spellCheck={false}
          value={draft.words}
          onChange={({ target }) => set({ words: target.value })}
        />
      )}
    </Field>
  );
}
