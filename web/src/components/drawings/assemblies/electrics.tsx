import { piece, type Assembly } from '@/components/drawings/assembly';
import { Block, Cylinder, Rings } from '@/components/drawings/solids';

export const ENGINE_CONTROL: Assembly = {
  name: 'Engine control',
  pieces: [
    piece(
      { name: 'plugs with their wiring', labels: ['wiring-pigtail'], at: [224, 69] },
      <path
        d="M240 76H256C268 76 264 56 276 56M240 82H262C276 82 280 88 294 88M240 104H256C268 104 264 124 280 124M240 110H250C258 110 252 136 232 136H204"
        fill="none"
      />,
      <path d="M218 70h18v18h-18zM218 98h18v18h-18zM236 73h5v12h-5zM236 101h5v12h-5zM222 66h10v4h-10zM222 94h10v4h-10z" />,
    ),
    piece(
      { name: 'control module', labels: ['engine-control-module'], at: [150, 48] },
      <Block x={104} y={58} width={84} height={66} depth={14} />,
      <path d="M96 64h8v10h-8zM96 108h8v10h-8zM188 70h18v18h-18zM188 98h18v18h-18z" />,
      <path d="M116 68h60M116 76h60M116 84h60M116 98h28v16h-28zM121 103h18M121 108h12M194 70v18M200 70v18M194 98v18M200 98v18" />,
    ),
    piece(
      {
        name: 'accelerator pedal with its sensor',
        labels: ['accelerator-pedal-sensor'],
        at: [50, 38],
      },
      <path d="M46 64L28 108l6 3L54 70z" />,
      <path d="M18 102h10l14 36q1 4 -4 4h-6q-4 0 -5 -4zM22 112h10M25 120h10M28 128h10" />,
      <path d="M36 38h32v34H36zM68 46h10v12H68z" />,
      <Rings x={52} y={56} r={[10, 3]} />,
    ),
    piece(
      { name: 'throttle body', labels: ['throttle-body'], at: [302, 34] },
      <path d="M284 36h36v42h-36zM320 46h12v20h-12zM276 50h8v12h-8z" />,
      <circle cx="302" cy="57" r="15" />,
      <path d="M302 42v30" />,
    ),
    piece(
      { name: 'injector', labels: ['fuel-injector'], at: [316, 84] },
      <path d="M294 82h12v12h-12zM306 84h20v8h-20zM326 86h10v4h-10zM336 84l6 4 -6 4zM310 84v8" />,
    ),
    piece(
      { name: 'oxygen sensor', labels: ['oxygen-sensor'], at: [306, 112] },
      <path d="M280 119h16v10h-16zM296 115h10v18h-10zM306 119h12v10h-12zM318 121h14v6h-14zM310 119v10M314 119v10M322 121v6M327 121v6" />,
    ),
    piece(
      { name: 'crankshaft sensor', labels: ['crankshaft-position-sensor'], at: [186, 130] },
      <path d="M186 130h18v12h-18zM172 128h14v16h-14zM160 132h12v8h-12z" />,
    ),
  ],
};

export const DASHBOARD: Assembly = {
  name: 'Dashboard',
  pieces: [
    piece(
      { name: 'panel', labels: [], at: [150, 100] },
      <path d="M14 116q4 -10 18 -10q12 -12 40 -12t40 12h206q22 0 28 12v26H14z" />,
      <path
        d="M42 118q6 -14 30 -14t30 14v16H42zM132 112h62v12h-62zM132 128h62v10h-62zM212 114h106v18H212z"
        className="fill-canvas"
      />,
    ),
    piece(
      { name: 'instrument cluster', labels: ['instrument-cluster'], at: [72, 34] },
      <path d="M20 54q4 -20 52 -20t52 20v26H20z" />,
      <circle cx="46" cy="60" r="15" />,
      <circle cx="98" cy="60" r="15" />,
      <path d="M46 60l-8 -8M98 60l9 -7M66 50h12v9H66zM66 66h12M46 48v2M58 60h-2M34 60h2M98 48v2M110 60h-2M86 60h2" />,
    ),
    piece(
      { name: 'single gauge', labels: ['gauge'], at: [152, 42] },
      <Rings x={152} y={60} r={[18, 14]} />,
      <path d="M152 60l-7 -7M144 68l1 -1M160 68l-1 -1M142 60h1.5M152 50v1.5M162 60h-1.5" />,
    ),
    piece(
      { name: 'radio', labels: ['radio'], at: [222, 32] },
      <path d="M184 32h76v30h-76zM200 38h44v12h-44zM200 55h8M212 55h8M224 55h8M236 55h8" />,
      <circle cx="192" cy="47" r="5" />,
      <circle cx="252" cy="47" r="5" />,
    ),
    piece(
      { name: 'climate panel', labels: ['climate-control-panel'], at: [222, 70] },
      <path d="M184 70h76v20h-76z" />,
      <circle cx="198" cy="80" r="6" />,
      <circle cx="222" cy="80" r="6" />,
      <circle cx="246" cy="80" r="6" />,
      <path d="M198 80v-5M222 80l4 -4M246 80l-4 -4" />,
    ),
    piece(
      { name: 'light switch', labels: ['headlight-switch'], at: [290, 32] },
      <path d="M274 32h32v32h-32z" />,
      <circle cx="290" cy="48" r="10" />,
      <path d="M290 48v-8" />,
    ),
    piece(
      { name: 'push switch', labels: ['dash-switch'], at: [332, 32] },
      <path d="M318 32h28v22h-28zM322 36h20v14h-20zM332 39l6 8h-12zM324 54h16v8h-16z" />,
    ),
    piece(
      { name: 'power outlet', labels: ['power-outlet'], at: [311, 74] },
      <Cylinder x={310} y={84} r={8} length={26} />,
      <Cylinder x={306} y={84} r={11} length={4} hole={7} />,
    ),
  ],
};
