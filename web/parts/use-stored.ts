import { useState } from 'react';

/** A choice that this browser remembers, as text. */
export function useStored(name: string, initial: string): readonly [string, (text: string) => void] {
  const [value, setValue] = useState(() => localStorage.getItem(name) ?? initial);
  const store = (text: string) => {
    localStorage.setItem(name, text);
    setValue(text);
  };
  return [value, store];
}
