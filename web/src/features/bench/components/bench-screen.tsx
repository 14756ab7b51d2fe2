import { useEffect, useRef, useState } from 'react';
import type { Schemas } from '@/api/client';
import { useBenchCamera } from '@/features/bench/camera/use-bench-camera';
import { useWatching } from '@/features/bench/camera/use-watching';
import { AnswerBoard } from '@/features/bench/components/answer-board';
import { BenchBar } from '@/features/bench/components/bench-bar';
import { BenchDialogs, type OpenDialog } from '@/features/bench/components/bench-dialogs';
import { BenchListCard } from '@/features/bench/components/bench-list-card';
import { TableView } from '@/features/bench/components/table-view';
import { LabelPrinter } from '@/features/bench/label/label-printer';
import { lastTakenOut, spokenOf, type BenchLine } from '@/features/bench/list/model';
import { useBenchList } from '@/features/bench/list/use-bench-list';
import { keepSettings, readSettings, type BenchSettings } from '@/features/bench/settings';
import { hush, say } from '@/features/bench/speech';
import { useFullScreen } from '@/features/bench/use-full-screen';
import { useKeys } from '@/features/bench/use-keys';
import { useWakeLock } from '@/features/bench/use-wake-lock';
import type { ScannedVehicle } from '@/features/scanning/offline-queue/waiting-scan';

export type BenchProps = {
  userId: string;
  /** The vehicle that parts are scanned for; null while there is none. */
  vehicle: ScannedVehicle | null;
  /** All that can be chosen; empty while the server is away. */
  vehicles: Schemas['Vehicle'][];
  onVehicle: (id: string) => void;
  /** Another tab asks for the bench: no part is photographed any more. */
  isWanted: boolean;
  /** Nothing is on its way any more, and the other tab can have it. */
  onLeave: () => void;
};

/**
 * The bench: a camera looks down on a table, and each part that is laid there is scanned by itself.
 *
 * The name of the part is read from two metres: at 1:200 of the distance letters have to be 10 mm high, which is 36
 * pixels of a 24-inch monitor of 1920 pixels, and half as much again for comfort.
 */
export function BenchScreen({
  userId,
  vehicle,
  vehicles,
  onVehicle,
  isWanted,
  onLeave,
}: BenchProps) {
  const [settings, setSettings] = useState(readSettings);
  const { camera, devices, videoRef, start, stop } = useBenchCamera(settings.camera);
  const change = (changes: Partial<BenchSettings>) => {
    const next = { ...settings, ...changes };
    setSettings(next);
    keepSettings(next);
    if (next.camera !== settings.camera && camera.state !== 'off') void start(next.camera);
  };
  // The answers of one evening may come at once: each has its turn at the printer.
  const [printing, setPrinting] = useState<{ id: number; line: BenchLine }[]>([]);
  // A part may have its label printed twice in a row, so its key names no entry of the queue.
  const labels = useRef(0);
  const print = (line: BenchLine) => {
    labels.current += 1;
    const id = labels.current;
    setPrinting((queue) => [...queue, { id, line }]);
  };
  const onAnswer = (line: BenchLine) => {
    const { answer } = line;
    if (settings.speaks) say(spokenOf(line));
    const isSure = answer.state === 'answered' && answer.verdict === 'identified';
    if (settings.printsLabels && isSure) print(line);
  };
  const list = useBenchList({ userId, vehicle, onAnswer });
  const { lines, current } = list;
  const isOn = camera.state === 'ready' && !isWanted;
  const { phase, isShot, scanNow, learn } = useWatching({
    videoRef,
    isOn,
    isAutomatic: settings.isAutomatic && vehicle !== null,
    onShot: (shot) => void list.scan(shot),
  });
  useWakeLock(camera.state !== 'off');
  const fullScreen = useFullScreen();
  const [dialog, setDialog] = useState<OpenDialog>(null);
  const binInput = useRef<HTMLInputElement>(null);
  const board = useRef<HTMLElement>(null);

  // What became of the list and its bin, for those who listen; the board tells them the answers.
  const [told, setTold] = useState({ text: '', turn: 0 });
  const tell = (text: string) => setTold(({ turn }) => ({ text, turn: turn + 1 }));
  const takeOut = (line: BenchLine) => {
    list.takeOut(line);
    tell(`Part ${line.number} is taken out.`);
  };
  const putBack = (line: BenchLine) => {
    list.putBack(line);
    tell(`Part ${line.number} is put back.`);
  };

  const isSending = lines.some(({ answer }) => answer.state === 'sending');
  useEffect(() => {
    if (isWanted && !isSending) onLeave();
  }, [isWanted, isSending, onLeave]);

  useEffect(() => hush, []);

  const best = unsureBest(current);
  const confirms = best !== null && isShot && (phase === 'lying' || phase === 'over-edge');
  const undone = lastTakenOut(lines);
  const pedal = () => {
    if (!isOn) {
      if (camera.state === 'off') void start(settings.camera);
    } else if (confirms && current !== null) list.choose(current, best);
    else if (vehicle !== null) scanNow();
  };
  const undo = () => {
    if (undone !== null) putBack(undone);
    else if (current !== null) takeOut(current);
  };
  const choose = (digit: number) => {
    if (current?.answer.state !== 'answered') return;
    const candidate = current.answer.candidates[digit - 1];
    if (digit === 0) list.choose(current, null);
    else if (candidate !== undefined) list.choose(current, candidate);
  };
  const toggleSpeech = () => {
    change({ speaks: !settings.speaks });
    if (settings.speaks) hush();
    else say('Answers are said aloud.');
  };
  const keys: Record<string, () => void> = {
    u: undo,
    p: () => current !== null && setDialog({ type: 'label', line: current }),
    b: () => binInput.current?.focus(),
    l: learn,
    f: fullScreen.toggle,
    s: toggleSpeech,
    '?': () => setDialog({ type: 'keys' }),
  };
  useKeys({
    pedal: settings.pedal,
    onPedal: pedal,
    onCode: (code) => {
      list.setBin(code);
      tell(`Bin ${code}.`);
    },
    onKey: (key) => {
      if (!settings.usesKeys) return;
      if (/^[0-5]$/.test(key)) choose(Number(key));
      else keys[key.toLowerCase()]?.();
    },
  });

  const [nextLabel] = printing;
  return (
    <div className="flex min-h-dvh flex-col bg-canvas print:hidden">
      <title>Partsight - Bench</title>
      <p role="status" className="sr-only">
        {/* Drawn anew each time: the same bin may be set, or a part of the same number taken out, once more. */}
        <span key={told.turn}>{told.text}</span>
      </p>
      <BenchBar
        bin={list.bin}
        onBin={list.setBin}
        binInput={binInput}
        lines={lines}
        settings={settings}
        onSpeech={toggleSpeech}
        fullScreen={fullScreen}
        onDialog={setDialog}
      />
      <div className="grid min-h-0 flex-1 grid-cols-1 gap-3 p-3 sm:gap-4 sm:p-4 lg:grid-cols-[minmax(0,4fr)_minmax(0,7fr)] lg:grid-rows-[auto_minmax(15rem,1fr)]">
        <TableView
          camera={camera}
          phase={phase}
          videoRef={videoRef}
          settings={settings}
          hasVehicle={vehicle !== null}
          confirms={confirms ? best.name : null}
          onStart={() => void start(settings.camera)}
          onStop={stop}
          onLearn={learn}
          onPedal={pedal}
        />
        <AnswerBoard
          board={board}
          line={current}
          undone={undone}
          hasVehicle={vehicle !== null}
          usesKeys={settings.usesKeys}
          onChoose={choose}
          onRead={list.read}
          onPutBack={putBack}
          onTakeOut={takeOut}
          hold={list.hold}
          onLabel={(line) => setDialog({ type: 'label', line })}
          onRetry={(line) => void list.retry(line)}
        />
        <BenchListCard
          lines={lines}
          isKept={list.isKept}
          onTakeOut={takeOut}
          onPutBack={putBack}
          hold={list.hold}
          onLabel={(line) => setDialog({ type: 'label', line })}
          onRetry={(line) => void list.retry(line)}
          onClear={list.clear}
        />
      </div>
      <BenchDialogs
        open={dialog}
        onClose={() => setDialog(null)}
        onPrint={print}
        board={board}
        settings={settings}
        onSettings={change}
        devices={devices}
        vehicle={vehicle}
        vehicles={vehicles}
        onVehicle={onVehicle}
      />
      {nextLabel !== undefined && (
        <LabelPrinter
          key={nextLabel.id}
          line={nextLabel.line}
          onDone={() => setPrinting((queue) => queue.slice(1))}
        />
      )}
    </div>
  );
}

/** The best guess of an answer that nobody has confirmed and that is not sure; null where there is none to confirm. */
function unsureBest(line: BenchLine | null): { label: string; name: string } | null {
  const answer = line?.answer;
  if (answer?.state !== 'answered' || answer.verdict === 'identified') return null;
  return answer.said === undefined ? (answer.candidates[0] ?? null) : null;
}
