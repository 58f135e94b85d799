import { ImagePlus } from 'lucide-react';
import { useRef, useState } from 'react';
import type { ImageBlock } from '../../parts/chat/chat.ts';
import { IconButton } from '../../parts/controls.tsx';

const types = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];
/** Providers accept 5 MB and less. */
const bytesMax = 5_000_000;

/** Reads an image of this computer into the message. */
export function AddImage({ onAdd }: { readonly onAdd: (image: ImageBlock) => void }) {
  const input = useRef<HTMLInputElement>(null);
  const [fault, setFault] = useState<string>();
  const add = async (file: File | undefined) => {
    if (file === undefined) return;
    if (!types.includes(file.type)) return setFault('PNG, JPEG, GIF or WebP only');
    if (file.size > bytesMax) return setFault('5 MB at most');
    setFault(undefined);
    onAdd({ type: 'image', source: { type: 'base64', media_type: file.type, data: await base64Of(file) } });
  };
  return (
    <>
      {fault !== undefined && (
        <span role="alert" className="text-xs text-failed">
          {fault}
        </span>
      )}
      <input
        ref={input}
        type="file"
        accept={types.join(',')}
        aria-label="Image file"
        className="hidden"
        onChange={({ target }) => {
          void add(target.files?.[0]);
          target.value = '';
        }}
      />
      <IconButton label="Add an image" onClick={() => input.current?.click()}>
        <ImagePlus aria-hidden />
      </IconButton>
    </>
  );
}

function base64Of(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result).replace(/^[^,]*,/, ''));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(file);
  });
}
