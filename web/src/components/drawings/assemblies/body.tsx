import { piece, type Assembly } from '@/components/drawings/assembly';
import { Block, Cylinder, Ellipse, Rings } from '@/components/drawings/solids';

export const FRONT_END: Assembly = {
  name: 'Front end',
  pieces: [
    piece(
      { name: 'hood', labels: ['hood'], at: [160, 30] },
      <path d="M126 30h88l18 24q-62 10 -124 0z" />,
      <path d="M142 34l-10 19M198 34l10 19" fill="none" />,
    ),
    piece(
      { name: 'hood latch', labels: ['hood-latch'], at: [250, 34] },
      <path d="M240 34h20v22h-20zM250 36v10q0 4 4 4M244 38v.1M256 38v.1M240 46h-6" />,
    ),
    piece(
      { name: 'radiator support', labels: ['radiator-support'], at: [104, 63] },
      <path
        d="M94 63h152v8h-6v20h6v8H94v-8h6V71h-6zM108 71v20h58V71zM174 71v20h58V71z"
        fillRule="evenodd"
      />,
      <path d="M98 67v.1M242 67v.1M98 95v.1M242 95v.1" strokeWidth="2.5" />,
    ),
    piece(
      { name: 'bumper beam', labels: ['bumper-reinforcement'], at: [91, 109] },
      <path d="M106 102h10v8h-10zM224 102h10v8h-10z" />,
      <path d="M88 108q82 -6 164 0v9q-82 -6 -164 0z" />,
    ),
    piece(
      { name: 'bumper cover', labels: ['bumper-cover', 'parking-sensor'], at: [82, 126] },
      <path d="M78 125q92 -8 184 0q6 8 2 19q-94 6 -188 0q-4 -11 2 -19z" />,
      <path d="M128 132h84l-6 10h-72zM92 132h20v8H92zM228 132h20v8h-20z" />,
      <path d="M86 130v.1M120 136v.1M220 136v.1M254 130v.1" strokeWidth="3" />,
    ),
    piece(
      { name: 'grille', labels: ['grille'], at: [306, 124] },
      <path d="M276 124h60l-8 20h-44zM278 130h56M281 136h50M296 124v20M316 124v20" />,
    ),
    piece(
      { name: 'headlight', labels: ['headlights'], at: [318, 34] },
      <path d="M278 44q30 -12 66 -10q6 12 2 24q-30 10 -60 8z" />,
      <Rings x={306} y={52} r={[9, 5]} />,
      <circle cx="330" cy="47" r="8" />,
      <path d="M284 50l6 12" />,
    ),
    piece(
      { name: 'fog light', labels: ['fog-light'], at: [286, 78] },
      <path d="M272 78h28v6h-28z" />,
      <Rings x={286} y={94} r={[13, 9, 3]} />,
    ),
    piece(
      { name: 'horn', labels: ['horn'], at: [334, 76] },
      <path d="M331 70h6v10h-6z" />,
      <Rings x={332} y={96} r={[15, 9, 3]} />,
      <path d="M345 90h8v14h-8z" />,
    ),
    piece(
      { name: 'fender', labels: ['fender', 'side-marker-light'], at: [46, 36] },
      <path d="M12 50Q40 34 78 36V92H72A27 25 0 0 0 20 92H12z" />,
      <path d="M66 46h8v4h-8z" />,
    ),
    piece(
      { name: 'fender liner', labels: ['fender-liner'], at: [46, 102] },
      <path d="M10 140A36 38 0 0 1 72 118L66 124A27 29 0 0 0 20 140zM24 116l7 8M46 103v9M66 112l-6 8" />,
    ),
  ],
};

export const TAILGATE: Assembly = {
  name: 'Tailgate',
  pieces: [
    piece(
      { name: 'spoiler', labels: ['spoiler'], at: [158, 31] },
      <path d="M118 33q40 -5 80 0l4 9q-44 -5 -88 0z" />,
    ),
    piece(
      { name: 'third brake light', labels: ['third-brake-light'], at: [240, 32] },
      <path d="M226 34h28l4 8h-36zM232 38v.1M240 38v.1M248 38v.1" />,
    ),
    piece(
      { name: 'glass', labels: ['rear-window-glass'], at: [109, 68] },
      <path d="M114 54q44 -6 88 0l16 32q-60 6 -120 0zM114 66h88M109 74h98" />,
    ),
    piece(
      { name: 'tailgate or lid', labels: ['tailgate', 'trunk-lid'], at: [94, 98] },
      <path d="M94 96q64 6 128 0l6 12v32q-70 8 -140 0v-32zM132 116h52v12h-52z" />,
    ),
    piece(
      { name: 'handle', labels: ['tailgate-handle'], at: [274, 60] },
      <path d="M250 62h48v8h-48zM258 70q16 8 32 0" />,
    ),
    piece(
      { name: 'license plate lamp', labels: ['license-plate-lamp'], at: [262, 88] },
      <path d="M250 90h24v6h-24zM254 96h16l-3 6h-10z" />,
    ),
    piece(
      { name: 'camera', labels: ['backup-camera'], at: [314, 78] },
      <path d="M328 90h8q8 0 8 8v6" fill="none" />,
      <path d="M300 80h28v20h-28z" />,
      <Rings x={314} y={90} r={[7, 3]} />,
    ),
    piece(
      { name: 'tail light', labels: ['taillights'], at: [332, 32] },
      <path d="M318 34h22q10 10 8 34h-26q4 -18 -4 -34zM321 46h26M322 57h26" />,
    ),
    piece(
      { name: 'lift support', labels: ['lift-support'], at: [50, 40] },
      <g transform="rotate(14 40 90)">
        <path d="M38 44h4v46h-4zM34 82h12v46H34z" />
        <circle cx="40" cy="40" r="5" />
        <circle cx="40" cy="132" r="5" />
      </g>,
    ),
    piece(
      { name: 'rear bumper cover', labels: ['bumper-cover', 'parking-sensor'], at: [346, 121] },
      <path d="M242 120q52 -8 104 0l5 10v12q-57 6 -114 0v-12zM262 134h22v5h-22zM304 134h22v5h-22z" />,
      <path d="M250 128v.1M280 125v.1M308 125v.1M338 128v.1" strokeWidth="3" />,
    ),
  ],
};

export const WIPERS: Assembly = {
  name: 'Windshield and wipers',
  pieces: [
    piece(
      { name: 'windshield', labels: ['windshield'], at: [60, 36] },
      <path d="M46 38q54 -8 108 0l28 44q-82 10 -164 0zM34 76q66 7 132 0M56 46l-10 16M66 46l-7 11" />,
    ),
    piece(
      { name: 'mirror', labels: ['rearview-mirror'], at: [202, 34] },
      <path d="M198 34h8v8h-8zM180 42h44q6 0 6 6v4q0 7 -8 7h-40q-8 0 -8 -7v-4q0 -6 6 -6z" />,
    ),
    piece(
      { name: 'wiper blade', labels: ['wiper-blade'], at: [276, 36] },
      <path d="M198 78q74 -44 144 -44l1 3Q272 40 200 82zM256 46l10 -8 10 1 4 8" />,
    ),
    piece(
      { name: 'wiper arm', labels: ['wiper-arm'], at: [286, 58] },
      <path d="M206 102L282 60l4 -2 4 5 -6 2L212 110z" />,
      <Rings x={208} y={106} r={[7, 2.5]} />,
    ),
    piece(
      { name: 'cowl panel', labels: ['cowl-panel'], at: [24, 94] },
      <path d="M14 92q84 12 170 0l4 14q-90 12 -178 0z" />,
      <circle cx="62" cy="105" r="3" className="fill-canvas" />,
      <circle cx="140" cy="105" r="3" className="fill-canvas" />,
      <path d="M80 100h40M80 104h40" />,
    ),
    piece(
      { name: 'linkage', labels: ['wiper-linkage'], at: [52, 120] },
      <path d="M44 128l96 2v5l-96 -2zM88 128l54 10v5l-56 -10z" />,
      <Rings x={44} y={130} r={[8, 3]} />,
      <Rings x={146} y={136} r={[9, 3]} />,
    ),
    piece(
      { name: 'wiper motor', labels: ['wiper-motor'], at: [204, 120] },
      <Cylinder x={196} y={132} r={12} length={32} />,
      <path d="M176 122h24v22h-20zM228 128h8v8h-8z" />,
      <circle cx="188" cy="132" r="4" />,
    ),
    piece(
      { name: 'washer tank with its pump', labels: ['washer-pump'], at: [329, 106] },
      <path d="M268 92q0 -4 4 -4h40q4 0 4 4v44q0 4 -4 4h-26q-18 0 -18 -18zM276 78h12v10h-12zM274 74h16v4h-16z" />,
      <path d="M276 116q6 -4 12 0t12 0" fill="none" />,
      <path d="M322 112h14v22h-14zM316 126h6v6h-6zM325 106h8v6h-8zM336 128h8v4h-8z" />,
    ),
  ],
};

export const HEADLIGHT: Assembly = {
  name: 'Headlight',
  axis: 'M100 84H330',
  pieces: [
    piece(
      { name: 'headlight', labels: ['headlights'], at: [72, 46] },
      <path d="M14 72Q58 42 124 46q10 32 2 66q-54 12 -100 2q-14 -18 -12 -42z" />,
      <path d="M22 74Q62 50 118 52q8 28 2 54q-48 10 -90 2q-10 -16 -8 -34z" />,
      <Rings x={98} y={82} r={[20, 12]} />,
      <Rings x={54} y={86} r={[16, 5]} />,
    ),
    piece(
      { name: 'bulb', labels: ['headlight-bulb'], at: [186, 69] },
      <path d="M184 78h-26q-8 0 -8 6t8 6h26zM160 84h12M164 80v8M168 80v8" />,
      <Cylinder x={184} y={84} r={16} length={4} />,
      <Cylinder x={190} y={84} r={9} length={10} />,
      <path d="M204 79h8M204 84h8M204 89h8" />,
    ),
    piece(
      { name: 'plug', labels: ['wiring-pigtail'], at: [240, 73] },
      <path
        d="M258 80C278 80 276 66 294 66M258 84H296M258 88C278 88 276 102 294 102"
        fill="none"
      />,
      <path d="M230 74h22v20h-22zM252 77h6v14h-6zM226 78h4v12h-4zM236 70h10v4h-10z" />,
    ),
    piece(
      { name: 'cap', labels: [], at: [322, 62] },
      <Cylinder x={310} y={84} r={24} length={10} />,
      <Ellipse x={310} y={84} r={17} />,
    ),
    piece(
      { name: 'turn signal', labels: ['turn-signal'], at: [176, 112] },
      <path d="M150 114q26 -6 50 0v22q-24 6 -50 0zM158 117v16M166 116v18M174 116v18M182 116v18M190 117v16M200 120h10v10h-10z" />,
    ),
    piece(
      { name: 'xenon ballast', labels: ['xenon-ballast'], at: [256, 110] },
      <Block x={234} y={118} width={44} height={20} depth={12} />,
      <path d="M240 123h16v10h-16zM262 124v8M267 124v8" />,
      <path d="M226 124h8v8h-8z" />,
    ),
    piece(
      { name: 'light switch', labels: ['headlight-switch'], at: [338, 114] },
      <path d="M308 114h36v32h-36z" />,
      <circle cx="326" cy="130" r="11" />,
      <path d="M326 130v-9" />,
    ),
  ],
};
