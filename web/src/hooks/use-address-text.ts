import { useEffect, useRef, useState } from 'react';
import { useAddressParams } from '@/hooks/use-address-params';
import { useSettled } from '@/hooks/use-settled';

/** Pause in typing after which the address takes the text, in ms: browsers limit how often it may change. */
const PAUSE_MS = 300;

/**
 * What is typed into a search field, kept in the address under `name`, so that a reload finds it there. The field
 * follows an address that something else changes, such as a link to the same screen.
 */
export function useAddressText(name: string): [string, (text: string) => void] {
  const [params, change] = useAddressParams();
  const kept = params.get(name) ?? '';
  const [text, setText] = useState(kept);
  const settled = useSettled(text.trim(), PAUSE_MS);
  const [seen, setSeen] = useState(kept);
  if (kept !== seen) {
    setSeen(kept);
    if (kept !== settled) setText(kept);
  }
  // Only what was typed goes into the address: two fields of one name would write over each other without end.
  const written = useRef(settled);
  useEffect(() => {
    if (settled === written.current) return;
    written.current = settled;
    if (settled !== kept) change({ [name]: settled }, { replace: true });
  }, [settled, kept, name, change]);
  return [text, setText];
}
