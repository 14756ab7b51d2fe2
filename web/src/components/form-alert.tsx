import type { Refusal } from '@/hooks/use-text-form';
import { classNames } from '@/lib/class-names';

type FormAlertProps = { refusal: Refusal<string> | null; className?: string };

/** Why a form was not taken, above its fields and read out at once. */
export function FormAlert({ refusal, className }: FormAlertProps) {
  if (refusal === null) return null;
  return (
    <div
      role="alert"
      className={classNames('rounded-md bg-bad-wash px-3 py-2 text-sm text-bad', className)}
    >
      {refusal.title !== undefined && <p className="font-semibold">{refusal.title}</p>}
      <p>{refusal.message}</p>
    </div>
  );
}
