import {
  ChevronLeft,
  Keyboard,
  Maximize,
  Minimize,
  Settings2,
  Volume2,
  VolumeX,
} from 'lucide-react';
import { useState, type ReactNode, type RefObject } from 'react';
import { flushSync } from 'react-dom';
import { Link } from 'react-router';
import { Button } from '@/components/ui/button';
import { paths } from '@/config/paths';
import type { OpenDialog } from '@/features/bench/components/bench-dialogs';
import { binOf, isIn, type BenchLine } from '@/features/bench/list/model';
import type { BenchSettings } from '@/features/bench/settings';
import { canSpeak } from '@/features/bench/speech';
import type { FullScreen } from '@/features/bench/use-full-screen';
import { countOf } from '@/lib/format';

type BenchBarProps = {
  bin: string;
  onBin: (bin: string) => void;
  binInput: RefObject<HTMLInputElement | null>;
  lines: BenchLine[];
  settings: BenchSettings;
  onSpeech: () => void;
  fullScreen: FullScreen;
  onDialog: (dialog: OpenDialog) => void;
};

/** The head of the bench: the way back, the bin that parts go to, how many there were, and what can be set. */
export function BenchBar({
  bin,
  onBin,
  binInput,
  lines,
  settings,
  onSpeech,
  fullScreen,
  onDialog,
}: BenchBarProps) {
  const waiting = lines.filter(({ answer }) => answer.state === 'waiting').length;
  return (
    <header className="flex flex-wrap items-center gap-x-2 gap-y-2 border-b bg-surface px-2 py-2 sm:gap-x-4 sm:px-4">
      <div className="flex min-w-0 items-center gap-1">
        <Button asChild look="ghost" size="icon">
          <Link to={paths.shop} aria-label="Back to the shop">
            <ChevronLeft className="size-5" aria-hidden />
          </Link>
        </Button>
        <h1 className="text-lg font-semibold tracking-tight">Bench</h1>
      </div>
      <p className="text-sm whitespace-nowrap text-soft tabular-nums sm:text-lg">
        {countOf(lines.filter(isIn).length, 'part')}
        {waiting > 0 && <span className="text-warn">, {waiting} to send</span>}
      </p>
      {/* Another bin that was scanned takes the place of what is being typed. */}
      <BinForm key={bin} bin={bin} onBin={onBin} binInput={binInput} />
      <div className="ml-auto flex items-center">
        {canSpeak() && (
          <Tool
            label="Say answers aloud"
            pressed={settings.speaks}
            onClick={onSpeech}
            icon={settings.speaks ? <Volume2 className="size-5" /> : <VolumeX className="size-5" />}
          />
        )}
        {fullScreen.canBe && (
          <Tool
            label={fullScreen.isOn ? 'Leave full screen' : 'Full screen'}
            onClick={fullScreen.toggle}
            icon={
              fullScreen.isOn ? <Minimize className="size-5" /> : <Maximize className="size-5" />
            }
          />
        )}
        <Tool
          label="Keys"
          onClick={() => onDialog({ type: 'keys' })}
          icon={<Keyboard className="size-5" />}
        />
        <Tool
          label="Settings"
          onClick={() => onDialog({ type: 'settings' })}
          icon={<Settings2 className="size-5" />}
        />
      </div>
    </header>
  );
}

type ToolProps = { label: string; pressed?: boolean; onClick: () => void; icon: ReactNode };

function Tool({ label, pressed, onClick, icon }: ToolProps) {
  return (
    <Button
      look="ghost"
      size="icon"
      aria-label={label}
      title={label}
      aria-pressed={pressed}
      onClick={onClick}
      className={pressed === true ? 'text-accent!' : ''}
    >
      <span aria-hidden>{icon}</span>
    </Button>
  );
}

function BinForm({ bin, onBin, binInput }: Pick<BenchBarProps, 'bin' | 'onBin' | 'binInput'>) {
  const [text, setText] = useState(bin);
  const keep = () => onBin(binOf(text));
  return (
    <form
      className="flex w-full min-w-0 items-center gap-3 max-sm:order-last sm:w-auto sm:flex-1"
      onSubmit={(event) => {
        event.preventDefault();
        keep();
        // The keys of the bench work again.
        binInput.current?.blur();
      }}
    >
      <label htmlFor="bench-bin" className="text-sm whitespace-nowrap text-soft sm:text-base">
        Bin or order
      </label>
      <input
        id="bench-bin"
        ref={binInput}
        dir="auto"
        autoComplete="off"
        spellCheck={false}
        enterKeyHint="done"
        placeholder="Type or scan a code"
        value={text}
        onChange={({ target }) => setText(target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Escape') return;
          // Drawn at once: what the field has when it is left becomes the bin.
          flushSync(() => setText(bin));
          event.currentTarget.blur();
        }}
        // The next bin takes the place of this one.
        onFocus={({ currentTarget }) => currentTarget.select()}
        onBlur={keep}
        className="min-h-11 w-full min-w-0 max-w-xl rounded-md border border-control bg-canvas px-3 text-xl font-semibold placeholder:text-base placeholder:font-normal lg:text-3xl lg:placeholder:text-xl"
      />
    </form>
  );
}
