import { useState } from 'react';
import { classNames } from '@/lib/class-names';

/** About three lines on a phone, in characters. A shorter text has nothing to fold. */
const FOLDED_FROM = 130;

type DescriptionProps = { text: string; className?: string };

/** What a part is. On a phone it begins folded: what can be done with the answer stands below it. */
export function Description({ text, className }: DescriptionProps) {
  const [isOpen, setOpen] = useState(false);
  const isLong = text.length > FOLDED_FROM;
  return (
    <div className={classNames('grid justify-items-start text-sm text-soft', className)}>
      <p className={classNames(isLong && !isOpen && 'max-sm:line-clamp-3')}>{text}</p>
      {isLong && (
        <button
          type="button"
          aria-expanded={isOpen}
          aria-label={isOpen ? 'Less of the description' : 'More of the description'}
          onClick={() => setOpen(!isOpen)}
          className="small-button min-w-11 rounded-sm text-left font-medium text-accent hover:underline sm:hidden"
        >
          {isOpen ? 'Less' : 'More'}
        </button>
      )}
    </div>
  );
}
