import { useState } from 'react';
import { useToast } from '@/components/ui/use-toast';

/** Copies a text; where the browser refuses, a toast says how it is done `byHand`. */
export function useCopy(text: string, byHand: string) {
  const toast = useToast();
  const [copied, setCopied] = useState(false);
  const copy = async () => {
    try {
      // Without HTTPS there is no clipboard at all.
      await navigator.clipboard.writeText(text);
      setCopied(true);
    } catch {
      toast({ title: 'Copy failed', description: byHand, tone: 'bad' });
    }
  };
  return { copied, setCopied, copy: () => void copy() };
}
