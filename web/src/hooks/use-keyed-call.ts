import { useRef } from 'react';
import { newCallKey } from '@/lib/call-key';

/**
 * `send` for a form that makes something new. What is sent again as it was, for want of an answer, keeps its key, and
 * is made once; what was changed is another call. After a success each call is new.
 */
export function useKeyedCall<Body, Saved>(send: (body: Body, key: string) => Promise<Saved>) {
  const keys = useRef(new Map<string, string>());
  return async (body: Body): Promise<Saved> => {
    const content = JSON.stringify(body);
    const key = keys.current.get(content) ?? newCallKey();
    keys.current.set(content, key);
    const saved = await send(body, key);
    keys.current.clear();
    return saved;
  };
}
