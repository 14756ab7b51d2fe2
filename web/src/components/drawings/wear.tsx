import type { ReactNode } from 'react';

/** Two states of a part side by side. */
type Wear = {
  /** What the left drawing shows, and what the right one. */
  good: string;
  worn: string;
  /** What the right one shows, each as a line to choose. */
  signs: readonly string[];
  drawings: readonly [good: ReactNode, worn: ReactNode];
};

const PAD: Wear = {
  good: 'New: 9 to 12 mm of lining.',
  worn: 'Worn: under 3 mm of lining, or the squealer tab touches the rotor.',
  signs: ['Under 3 mm of lining', 'Squealer tab touches the rotor'],
  drawings: [<Pad lining={22} />, <Pad lining={6} tab="stroke-bad" />],
};

/** A pad just off its rotor, from the side; its squealer tab touches the rotor where 6 of `lining` are left. */
function Pad({ lining, tab }: { lining: number; tab?: string }) {
  const face = 70;
  const plate = face - lining - 10;
  return (
    <>
      <path d={`M${plate} 22h10v66h-10z`} className="fill-raised" />
      <path
        d={`M${plate + 10} 28h${lining}v54h-${lining}z`}
        className="fill-accent-wash stroke-accent"
      />
      <path d="M78 14h14v82H78z" className="fill-surface" />
      <path d={`M${plate + 10} 20v-6h${lining}v6`} className="stroke-accent" />
      <path d={`M${plate} 76h-5v17h29`} className={tab} strokeWidth="2.5" />
    </>
  );
}

const ROTOR: Wear = {
  good: 'Good: an even face, flat to its edge.',
  worn: 'Worn: grooves that a nail catches in, a lip at the edge, blue spots or cracks.',
  signs: ['Grooves that a nail catches in', 'Lip at the edge', 'Blue spots', 'Cracks'],
  drawings: [
    <>
      <circle cx="60" cy="55" r="42" className="fill-raised" />
      <circle cx="60" cy="55" r="18" className="fill-surface" />
      <circle cx="60" cy="55" r="7" />
    </>,
    <>
      <circle cx="60" cy="55" r="42" className="fill-raised" />
      <g className="stroke-bad">
        <circle cx="60" cy="55" r="39" />
        <circle cx="60" cy="55" r="33" strokeDasharray="30 4" />
        <circle cx="60" cy="55" r="28" strokeDasharray="18 3" />
        <circle cx="60" cy="55" r="23" strokeDasharray="40 5" />
        <path d="M92 42l-9 4 3 4 -8 3" />
      </g>
      <circle cx="60" cy="55" r="18" className="fill-surface" />
      <circle cx="60" cy="55" r="7" />
    </>,
  ],
};

const SPARK_PLUG: Wear = {
  good: 'Good: square electrode edges, a light tan insulator, a small gap.',
  worn: 'Worn: rounded electrodes, a wide gap, soot, oil or white blisters.',
  signs: ['Rounded electrodes', 'Wide gap', 'Soot', 'Oil on the electrodes', 'White blisters'],
  drawings: [
    <g className="fill-raised">
      <path d="M36 10h48v30H36zM36 18h48M36 26h48M36 34h48" />
      <path d="M48 40h24l-4 22H52z" className="fill-surface" />
      <path d="M55 62h10v10H55z" />
      <path d="M84 36v44q0 6 -6 6H52v-8h22V40" />
    </g>,
    <g className="fill-raised">
      <path d="M36 10h48v30H36zM36 18h48M36 26h48M36 34h48" />
      <path d="M48 40h24l-4 18H52z" className="fill-surface" />
      <path d="M50 46l6 3M62 44l5 4M55 53l7 2" className="stroke-bad" />
      <path d="M55 58q5 8 10 0z" className="stroke-bad" />
      <path d="M84 36v44q0 6 -6 6H60q-8 -1 -8 -5q4 -3 10 -3h12V40" className="stroke-bad" />
    </g>,
  ],
};

const CV_BOOT: Wear = {
  good: 'Good: dry, supple folds and tight clamps.',
  worn: 'Worn: cracks in the folds, a split, grease thrown around the wheel well.',
  signs: ['Cracks in the folds', 'Split', 'Grease around the wheel well'],
  drawings: [
    <>
      <path d="M8 50h20v10H8zM92 46h20v18H92z" className="fill-surface" />
      <Boot />
    </>,
    <>
      <path d="M8 50h20v10H8zM92 46h20v18H92z" className="fill-surface" />
      <Boot />
      <g className="stroke-bad">
        <path d="M50 36l3 8 -4 6 4 8M66 30l-3 9 4 6M72 74l-4 6" />
        <path d="M56 92v4M66 96v5M46 98v4M76 90v4" strokeWidth="3" />
      </g>
    </>,
  ],
};

function Boot() {
  return (
    <path
      d="M28 46h6l4 -6 6 3 5 -8 6 4 6 -9 6 4 7 -8 6 2 6 -4h6v62h-6l-6 -4 -6 2 -7 -8 -6 4 -6 -9 -6 4 -5 -8 -6 3 -4 -6h-6zM44 43v24M55 39v32M67 34v42M80 28v54"
      className="fill-raised"
    />
  );
}

const BELT: Wear = {
  good: 'Good: ribs whole and even, edges straight.',
  worn: 'Worn: cracks across the ribs, missing pieces, frayed edges, a shiny back.',
  signs: ['Cracks across the ribs', 'Missing pieces', 'Frayed edges', 'Shiny back'],
  drawings: [
    <Belt />,
    <>
      <Belt />
      <g className="stroke-bad">
        <path d="M26 36v40M48 36v40M72 36v40M94 36v40" />
        <path d="M56 50h14v14H56z" className="fill-canvas" />
        <path d="M10 84l4 6M30 84l-2 7M84 84l4 6M106 84l-3 7" />
      </g>
    </>,
  ],
};

const TIMING_BELT: Wear = {
  good: 'Good: teeth whole and square, edges straight, rubber dry.',
  worn: 'Worn: cracks at the roots of the teeth, missing teeth, frayed edges, oil on the rubber. A belt that looks good may still be due by age.',
  signs: ['Cracks at the roots of the teeth', 'Missing teeth', 'Frayed edges', 'Oil on the rubber'],
  drawings: [
    <TimingBelt teeth={[6, 26, 46, 66, 86]} />,
    <>
      <TimingBelt teeth={[6, 26, 66, 86]} />
      <g className="stroke-bad">
        <path d="M46 66l3 -5 3 3 3 -4 3 6" />
        <path d="M18 66l3 5 -3 4 2 5M38 66l-3 6 3 4M66 66l-3 5 3 5 -2 4" />
        <path d="M12 86l-3 8M18 86l1 7M48 86l-3 7M53 86l3 8" />
        <path d="M88 70c5 7 5 12 0 12s-5 -5 0 -12z" className="fill-bad" />
      </g>
    </>,
  ],
};

/** A toothed belt, its teeth up; `teeth` are where they begin, of five with room for 20 each. */
function TimingBelt({ teeth }: { teeth: readonly number[] }) {
  const profile = teeth.map((x) => `H${x}V52h12V66`).join('');
  return (
    <>
      <path d="M6 66l16 -26h92l-16 26z" className="fill-surface" />
      {teeth.map((x) => (
        <g key={x}>
          <path d={`M${x + 12} 52l16 -26v14l-16 26z`} className="fill-raised" />
          <path d={`M${x} 52l16 -26h12l-16 26z`} className="fill-surface" />
        </g>
      ))}
      <path d="M98 52l16 -26v34l-16 26z" className="fill-raised" />
      <path d={`M6 86V66${profile}V86z`} className="fill-raised" />
    </>
  );
}

function Belt() {
  return (
    <>
      <path d="M8 28h104v56H8z" className="fill-raised" />
      <path d="M8 36h104M8 44h104M8 52h104M8 60h104M8 68h104M8 76h104" />
    </>
  );
}

const TIRE: Wear = {
  good: 'Good: deep, even grooves; 4 mm or more for wet roads.',
  worn: 'Worn: level with the wear bars, bare on one edge, or cracked in the side.',
  signs: ['Level with the wear bars', 'Bare on one edge', 'Cracks in the side'],
  drawings: [
    <>
      <path d="M16 20q44 -16 88 0v70q-44 12 -88 0z" className="fill-raised" />
      <path d="M34 16v78M52 12v84M70 12v84M88 16v78" strokeWidth="5" />
    </>,
    <>
      <path d="M16 20q44 -16 88 0v70q-44 12 -88 0z" className="fill-raised" />
      <path d="M34 16v78M52 12v84" strokeWidth="5" />
      <g className="stroke-bad">
        <path d="M70 12v84M88 16v78" strokeDasharray="3 6" />
        <path d="M30 40h26M30 72h26" strokeWidth="3" />
        <path d="M98 30l4 8 -3 6M98 62l4 6 -4 8" />
      </g>
    </>,
  ],
};

const CLUTCH_DISC: Wear = {
  good: 'Good: lining well above its rivets, tight springs.',
  worn: 'Worn: rivets level with the lining, dark glaze, cracked or loose springs.',
  signs: ['Rivets level with the lining', 'Dark glaze', 'Cracked or loose springs'],
  drawings: [
    <>
      <ClutchDisc />
      <path d="M60 18v.1M92 55v.1M60 92v.1M28 55v.1" strokeWidth="3" />
    </>,
    <>
      <ClutchDisc />
      <g className="stroke-bad">
        <circle cx="60" cy="18" r="3.5" />
        <circle cx="97" cy="55" r="3.5" />
        <circle cx="60" cy="92" r="3.5" />
        <circle cx="23" cy="55" r="3.5" />
        <path d="M84 24l-8 8 4 3M34 86l7 -7" />
      </g>
    </>,
  ],
};

function ClutchDisc() {
  return (
    <>
      <circle cx="60" cy="55" r="44" className="fill-raised" />
      <circle cx="60" cy="55" r="28" className="fill-surface" />
      <circle cx="60" cy="55" r="8" />
      <path d="M56 34h8v8h-8zM56 68h8v8h-8zM39 51h8v8h-8zM73 51h8v8h-8z" />
    </>
  );
}

const WIPER: Wear = {
  good: 'Good: one straight, soft edge.',
  worn: 'Worn: a torn or wavy edge, hardened rubber, streaks on the glass.',
  signs: ['Torn or wavy edge', 'Hardened rubber', 'Streaks on the glass'],
  drawings: [
    <>
      <path d="M10 26h100v10H10zM44 14h32v12H44z" className="fill-surface" />
      <path d="M14 36h92v14l-46 12 -46 -12z" className="fill-raised" />
    </>,
    <>
      <path d="M10 26h100v10H10zM44 14h32v12H44z" className="fill-surface" />
      <path d="M14 36h92v14l-46 12 -46 -12z" className="fill-raised" />
      <g className="stroke-bad">
        <path d="M22 52l4 -8 5 11M74 58l3 -10 6 8M52 60l2 -6 5 8" />
        <path d="M20 78q10 -6 20 0t20 0 20 0 20 0M26 92q10 -6 20 0t20 0 20 0" />
      </g>
    </>,
  ],
};

const HOSE: Wear = {
  good: 'Good: firm, smooth, dry at its clamps.',
  worn: 'Worn: cracked, swollen or soft as a sponge, crusts where it leaks.',
  signs: ['Cracks in the rubber', 'Swollen', 'Soft as a sponge', 'Crusts where it leaks'],
  drawings: [
    <Hose swell={0} />,
    <>
      <Hose swell={12} />
      <g className="stroke-bad">
        <path d="M50 46l6 6 -4 5 6 6M66 44l-3 7 4 5M20 72l-3 5 5 3M98 74l4 4" />
      </g>
    </>,
  ],
};

function Hose({ swell }: { swell: number }) {
  return (
    <>
      <path
        d={`M10 42h16Q60 ${42 - 2 * swell} 94 42h16v28H94Q60 ${70 + 2 * swell} 26 70H10z`}
        className="fill-raised"
      />
      <path d="M18 38h6v36h-6zM96 38h6v36h-6z" className="fill-surface" />
    </>
  );
}

const TERMINAL: Wear = {
  good: 'Good: bare, bright metal, tight on its post.',
  worn: 'Worn: white or green crust, a loose clamp, frayed strands.',
  signs: ['White or green crust', 'Loose clamp', 'Frayed strands'],
  drawings: [
    <Terminal />,
    <>
      <Terminal />
      <path
        d="M28 44q-6 -6 0 -10 0 -8 8 -6 4 -8 12 -3 8 -5 12 2 8 -1 7 7 6 4 1 10M30 62l-6 3M70 62l6 4M98 42l10 -6M98 48h12M98 54l10 6"
        className="stroke-bad"
      />
    </>,
  ],
};

function Terminal() {
  return (
    <>
      <path d="M20 66h60v32H20z" className="fill-surface" />
      <path d="M38 48h20v18H38z" className="fill-raised" />
      <path d="M28 36h40v18H28zM68 40h14v10H68zM82 38h16v14H82z" className="fill-raised" />
      <path d="M48 30v6M44 30h8" />
    </>
  );
}

const FILTER: Wear = {
  good: 'Good: light pleats, open to the bottom.',
  worn: 'Worn: gray or black pleats, leaves or sand between them.',
  signs: ['Gray or black pleats', 'Leaves or sand in the pleats'],
  drawings: [
    <Filter />,
    <>
      <Filter />
      <g className="stroke-bad">
        <path
          d="M28 34l6 40M46 34l4 40M66 34l4 40M84 34l4 40"
          strokeWidth="3"
          strokeDasharray="2 5"
        />
        <path d="M38 60q8 -10 14 -2 -8 8 -14 2zM72 44q8 -8 12 0 -8 6 -12 0z" />
      </g>
    </>,
  ],
};

function Filter() {
  return (
    <>
      <path d="M10 22h100v66H10z" className="fill-surface" />
      <path
        d="M20 32h80v46H20zM30 32v46M40 32v46M50 32v46M60 32v46M70 32v46M80 32v46M90 32v46"
        className="fill-raised"
      />
    </>
  );
}

/** By part type. */
const WEAR: Record<string, Wear> = {
  'air-filter': FILTER,
  'battery-terminal': TERMINAL,
  'brake-pad': PAD,
  'brake-rotor': ROTOR,
  'cabin-air-filter': FILTER,
  'clutch-plate': CLUTCH_DISC,
  'cv-axle': CV_BOOT,
  'cv-boot': CV_BOOT,
  'heater-hose': HOSE,
  'radiator-hose': HOSE,
  'serpentine-belt': BELT,
  'spark-plug': SPARK_PLUG,
  tire: TIRE,
  'timing-belt': TIMING_BELT,
  'wiper-blade': WIPER,
};

/** The part types of which wear is drawn. */
export const WEAR_LABELS: readonly string[] = Object.keys(WEAR);

/** The signs of wear that the drawing of a type shows, each as a line to choose; none for a part whose wear does not show. */
export function signsOfWear(label: string): readonly string[] {
  return WEAR[label]?.signs ?? [];
}

type WearHintProps = { label: string; name: string };

/** What a good and a worn part look like; nothing for a part whose wear does not show. */
export function WearHint({ label, name }: WearHintProps) {
  const wear = WEAR[label];
  if (wear === undefined) return null;
  const states = [
    { key: 'good', caption: wear.good, tone: 'border-good/50' },
    { key: 'worn', caption: wear.worn, tone: 'border-bad/50' },
  ];
  return (
    <ul aria-label={`Wear of a ${name}`} className="grid gap-3 min-[18rem]:grid-cols-2">
      {states.map(({ key, caption, tone }, index) => (
        <li key={key}>
          <figure className="grid gap-1.5">
            <svg
              viewBox="0 0 120 110"
              role="img"
              aria-label={`${name}, ${key}`}
              className={`mx-auto h-auto w-full max-w-56 rounded-md border bg-canvas/50 stroke-soft ${tone}`}
              fill="none"
              strokeWidth="1.75"
              strokeLinecap="round"
              strokeLinejoin="round"
            >
              {wear.drawings[index]}
            </svg>
            <figcaption className="text-xs text-soft">{caption}</figcaption>
          </figure>
        </li>
      ))}
    </ul>
  );
}
