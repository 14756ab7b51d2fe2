import { createContext, use } from 'react';

export type ToastMessage = { title: string; description: string; tone?: 'neutral' | 'bad' };

export const ToastContext = createContext<((message: ToastMessage) => void) | null>(null);

/** Shows a toast; it takes the place of the one on screen. */
export function useToast(): (message: ToastMessage) => void {
  const toast = use(ToastContext);
  if (toast === null) throw new Error('BUG: useToast needs ToastProvider above it');
  return toast;
}
