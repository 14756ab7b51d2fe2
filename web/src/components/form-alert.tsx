import { useEffect, useRef } from 'react';
import type { Refusal } from '@/hooks/use-form';
import { classNames } from '@/lib/class-names';

type FormAlertProps = { refusal: Refusal | null; className?: string };

/** Why a form was not taken, above its fields and read out at once. */
export function FormAlert({ refusal, className }: FormAlertProps) {
  const element = useRef<HTMLDivElement>(null);
  const message = refusal?.message;
  // In a long form, what sends it and what was said of it are seldom on screen together.
  useEffect(() => {
    element.current?.scrollIntoView({ block: 'nearest' });
  }, [message]);
  if (refusal === null) return null;
  return (
    <div
      ref={element}
      role="alert"
      className={classNames('rounded-md bg-bad-wash px-3 py-2 text-sm text-bad', className)}
    >
      {refusal.title !== undefined && <p className="font-semibold">{refusal.title}</p>}
      <p>{refusal.message}</p>
    </div>
  );
}
