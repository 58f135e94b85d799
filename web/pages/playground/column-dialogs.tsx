import { useState } from 'react';
import { Choice, Code } from '../../parts/controls.tsx';
import { PipelineEditor } from '../../parts/pipeline/pipeline-editor.tsx';
import { type CodeRequest, codeFor, type Language } from './code.ts';

interface PipelineChoiceProps {
  readonly text: string | undefined;
  readonly onChange: (text: string | undefined) => void;
}

export function PipelineChoice({ text, onChange }: PipelineChoiceProps) {
  return (
    <div className="flex flex-col gap-4">
      <Choice
        label="Which pipeline"
        value={text === undefined ? 'usual' : 'own'}
        options={[
          ['usual', 'Gateway default'],
          ['own', 'Custom'],
        ]}
        onChange={(which) => onChange(which === 'usual' ? undefined : '')}
      />
      {text !== undefined && <PipelineEditor text={text} onChange={onChange} />}
    </div>
  );
}

export function CodeFor({ request }: { readonly request: CodeRequest }) {
  const [language, setLanguage] = useState<Language>('curl');
  return (
    <>
      <Choice
        label="Language"
        value={language}
        options={(['curl', 'TypeScript', 'Python'] as const).map((name) => [name, name])}
        onChange={setLanguage}
      />
      <Code label={language} text={codeFor(language, request)} />
    </>
  );
}
