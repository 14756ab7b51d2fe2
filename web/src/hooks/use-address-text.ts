import { useEffect, useEffectEvent, useState } from 'react';
import { useAddressParams } from '@/hooks/use-address-params';

/** Pause in typing after which the address takes the text, in ms: browsers limit how often it may change. */
const PAUSE_MS = 300;

/** What is typed into a search field, kept in the address under `name`, so that a reload finds it there. */
export function useAddressText(name: string): [string, (text: string) => void] {
  const [params, change] = useAddressParams();
  const kept = params.get(name) ?? '';
  const [text, setText] = useState(kept);
  const [sent, setSent] = useState(kept);
  const [known, setKnown] = useState(kept);
  // The address changed: by what was typed here, or from outside, which the field then follows.
  if (known !== kept) {
    setKnown(kept);
    if (kept !== sent) {
      setSent(kept);
      setText(kept);
    }
  }
  const send = useEffectEvent((typed: string) => {
    setSent(typed);
    change({ [name]: typed }, { replace: true });
  });
  useEffect(() => {
    const typed = text.trim();
    if (typed === sent) return;
    const pause = setTimeout(() => send(typed), PAUSE_MS);
    return () => clearTimeout(pause);
  }, [text, sent]);
  return [text, setText];
}
