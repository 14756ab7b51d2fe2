import { createContext } from 'react';
import type { Schemas } from '@/api/client';

export type OpenFormCalls = {
  onClose: () => void;
  onSaved: (saved: { id: string; warnings: Schemas['Warning'][] }) => void;
  /** Whether something is typed that is not saved. */
  onTyped: (isTyped: boolean) => void;
};

/** What the open form of a panel tells it. */
export const OpenFormContext = createContext<OpenFormCalls>({
  onClose: () => undefined,
  onSaved: () => undefined,
  onTyped: () => undefined,
});
