import { useEffect, useState } from 'react';
import { useAddressParams } from '@/hooks/use-address-params';
import { useSettled } from '@/hooks/use-settled';

/** Pause in typing after which the address takes the text, in ms: browsers limit how often it may change. */
const PAUSE_MS = 300;

/** What is typed into a search field, kept in the address under `name`, so that a reload finds it there. */
export function useAddressText(name: string): [string, (text: string) => void] {
  const [params, change] = useAddressParams();
  const kept = params.get(name) ?? '';
  const [text, setText] = useState(kept);
  const settled = useSettled(text.trim(), PAUSE_MS);
  useEffect(() => {
    if (settled !== kept) change({ [name]: settled }, { replace: true });
  }, [settled, kept, name, change]);
  return [text, setText];
}
