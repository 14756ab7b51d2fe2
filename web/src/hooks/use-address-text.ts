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
    const sendNow = () => send(typed);
    const pause = setTimeout(sendNow, PAUSE_MS);
    // At once where something is pressed or focused: it may open another step, and the way back would lead to a step
    // without the text.
    document.addEventListener('pointerdown', sendNow, true);
    document.addEventListener('focusout', sendNow, true);
    return () => {
      clearTimeout(pause);
      document.removeEventListener('pointerdown', sendNow, true);
      document.removeEventListener('focusout', sendNow, true);
    };
  }, [text, sent]);
  return [text, setText];
}
