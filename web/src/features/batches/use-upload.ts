import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { ApiError, isSignedOut, sentenceOf, UnreachableError } from '@/api/api-error';
import { isAbort } from '@/api/client';
import { userQuery } from '@/api/user';
import { isZip, keyOf, nextForm, sorted } from '@/features/batches/model';
import { sendFiles } from '@/features/batches/mutations';
import { keysOf } from '@/features/batches/queries';
import { useUnsavedWork } from '@/hooks/unsaved-work';
import { useLeaveGuard } from '@/hooks/use-leave-guard';

type UploadState = {
  phase: 'idle' | 'sending' | 'paused' | 'done';
  /** Files of this upload that the server did not have before it, and those of them that it has by now. */
  total: number;
  sent: number;
  /** Files, of this browser or of a zip, that are neither photos nor zips by their names. */
  leftOut: number;
  /** The names of files and folders that the browser cannot read. */
  unread: string[];
  /** Photos that the server had in this batch already. */
  known: number;
  /** New photos with the same bytes as another one of this batch. */
  duplicates: number;
  /** New photos that another batch of the person has as well. */
  seenBefore: number;
  /** Zips that the server refused, each with the reason; the rest was sent without them. */
  refused: { name: string; reason: string }[];
  problem: string | null;
  /** When the session turned out to have ended, in ms; null where that is not what stopped it. */
  signedOutAt: number | null;
};

const IDLE: UploadState = {
  phase: 'idle',
  total: 0,
  sent: 0,
  leftOut: 0,
  unread: [],
  known: 0,
  duplicates: 0,
  seenBefore: 0,
  refused: [],
  problem: null,
  signedOutAt: null,
};

/** Files that can be sent no more: the rest is sent without them. */
type Unsendable = { files: File[]; unread: string[]; refused: UploadState['refused'] };

/** Sends a form, unless files of it would fail at every try, and hold up all that comes after them. */
async function sendForm(batchId: string, form: File[], signal: AbortSignal) {
  try {
    return await sendFiles(batchId, form, signal);
  } catch (error) {
    const unsendable = await unsendableOf(form, error);
    if (unsendable.files.length === 0) throw error;
    return unsendable;
  }
}

async function unsendableOf(form: File[], error: unknown): Promise<Unsendable> {
  if (error instanceof UnreachableError) {
    // A file that was moved or changed since it was chosen breaks the call off as a server does that is away.
    const readable = await Promise.all(form.map(isReadable));
    const files = form.filter((_, at) => readable[at] === false);
    return { files, unread: files.map(({ name }) => name), refused: [] };
  }
  const isRefusal = error instanceof ApiError && (error.status === 422 || error.status === 413);
  const files = isRefusal ? form.filter(isZip) : [];
  const reason = sentenceOf(error, 'It cannot be read.');
  return { files, unread: [], refused: files.map(({ name }) => ({ name, reason })) };
}

function isReadable(file: File): Promise<boolean> {
  return file
    .slice(0, 1)
    .arrayBuffer()
    .then(
      () => true,
      () => false,
    );
}

/**
 * Sends files to a batch, a form after the other, and can pause. What is with the server is not sent again, so that the
 * same folder can be chosen anew after a reload.
 */
export function useUpload(batchId: string) {
  const [state, setState] = useState<UploadState>(IDLE);
  const waiting = useRef<File[]>([]);
  /** The form that was sent last. */
  const tried = useRef<ReadonlySet<File>>(new Set());
  const stop = useRef<AbortController | null>(null);
  const queryClient = useQueryClient();
  // A reload, or another screen, would forget which files wait.
  const isUnderWay = state.phase === 'sending' || state.phase === 'paused';
  useUnsavedWork(isUnderWay);
  useLeaveGuard(isUnderWay);
  useEffect(() => () => stop.current?.abort(), []);

  const send = async () => {
    // Files that are added while it sends are seen by the loop that runs.
    if (stop.current !== null) return;
    const controller = new AbortController();
    stop.current = controller;
    setState((old) => ({ ...old, phase: 'sending', problem: null, signedOutAt: null }));
    try {
      // Asked at every start: a form that broke off here may have arrived there.
      const known = await keysOf(batchId);
      const missing = waiting.current.filter((file) => !known.has(keyOf(file)));
      // Of these, the ones of such a form were sent by this upload; the others were there before it.
      const there = waiting.current.filter((file) => known.has(keyOf(file)));
      const n_sent = there.filter((file) => tried.current.has(file)).length;
      const n_known = there.length - n_sent;
      waiting.current = missing;
      setState((old) => ({
        ...old,
        total: old.total - n_known,
        sent: old.sent + n_sent,
        known: old.known + n_known,
      }));
      while (waiting.current.length > 0) {
        controller.signal.throwIfAborted();
        const form = nextForm(waiting.current);
        tried.current = new Set(form);
        const sent = await sendForm(batchId, form, controller.signal);
        const through = new Set('files' in sent ? sent.files : form);
        waiting.current = waiting.current.filter((file) => !through.has(file));
        setState((old) =>
          'files' in sent
            ? {
                ...old,
                total: old.total - through.size,
                unread: [...old.unread, ...sent.unread],
                refused: [...old.refused, ...sent.refused],
              }
            : {
                ...old,
                sent: old.sent + form.length,
                leftOut: old.leftOut + sent.leftOut,
                known: old.known + sent.known,
                duplicates: old.duplicates + sent.duplicates,
                seenBefore: old.seenBefore + sent.seenBefore,
              },
        );
        void queryClient.invalidateQueries({ queryKey: ['batches', 'one', { id: batchId }] });
      }
      setState((old) => ({ ...old, phase: 'done' }));
    } catch (error) {
      const problem = isAbort(error)
        ? null
        : sentenceOf(error, 'The server cannot be reached. What was sent is kept.');
      // No sign-in in this tab, which would forget the files.
      if (isSignedOut(error)) {
        setState((old) => ({ ...old, phase: 'paused', signedOutAt: Date.now() }));
      } else {
        setState((old) => ({ ...old, phase: 'paused', problem }));
      }
    } finally {
      stop.current = null;
      void queryClient.invalidateQueries({ queryKey: ['batches'] });
    }
  };

  const { signedOutAt } = state;
  // Read when this tab is shown again.
  const user = useQuery({ ...userQuery(), enabled: signedOutAt !== null });
  const isBack = signedOutAt !== null && user.data != null && user.dataUpdatedAt > signedOutAt;
  const goOn = useEffectEvent(() => void send());
  useEffect(() => {
    if (isBack) goOn();
  }, [isBack]);

  return {
    state,
    add: (files: readonly File[], unread: readonly string[] = []) => {
      const { photos, zips, leftOut } = sorted(files);
      const more = [...photos, ...zips];
      if (files.length === 0 && unread.length === 0) return;
      waiting.current = [...waiting.current, ...more];
      setState((old) => {
        const before = old.phase === 'done' ? IDLE : old;
        return {
          ...before,
          total: before.total + more.length,
          leftOut: before.leftOut + leftOut,
          unread: [...before.unread, ...unread],
        };
      });
      if (more.length > 0) void send();
    },
    pause: () => stop.current?.abort(),
    resume: () => void send(),
  };
}
