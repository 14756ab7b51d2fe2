import { useEffect, useState } from 'react';
import { useAddressParams } from '@/hooks/use-address-params';

/** Pause in typing after which the address takes the text, in ms: browsers limit how often it may change. */
const PAUSE_MS = 300;

/** What is typed into a search field, kept in the address under `name`, so that a reload finds it there. */
export function useAddressText(name: string): [string, (text: string) => void] {
  const [params, change] = useAddressParams();
  const kept = params.get(name) ?? '';
  const [text, setText] = useState(kept);
  useEffect(() => {
    if (text.trim() === kept) return;
    const pause = setTimeout(() => change({ [name]: text.trim() }, { replace: true }), PAUSE_MS);
    return () => clearTimeout(pause);
  }, [text, kept, name, change]);
  return [text, setText];
}
