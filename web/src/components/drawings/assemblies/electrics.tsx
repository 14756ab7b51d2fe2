import { piece, type Assembly } from '@/components/drawings/assembly';
import { Block } from '@/components/drawings/solids';

export const ENGINE_CONTROL: Assembly = {
  name: 'Engine control',
  pieces: [
    piece(
      { name: 'plugs with their wiring', labels: ['wiring-pigtail'], at: [224, 69] },
      <>
        <path
          d="M240 76H256C268 76 264 56 276 56M240 82H262C276 82 280 88 294 88M240 104H256C268 104 264 124 280 124M240 110H250C258 110 252 136 232 136H204"
          fill="none"
        />
        <path d="M218 70h18v18h-18zM218 98h18v18h-18zM236 73h5v12h-5zM236 101h5v12h-5zM222 66h10v4h-10zM222 94h10v4h-10z" />
      </>,
    ),
    piece(
      { name: 'control module', labels: ['engine-control-module'], at: [150, 48] },
      <>
        <Block x={104} y={58} width={84} height={66} depth={14} />
        <path d="M96 64h8v10h-8zM96 108h8v10h-8zM188 70h18v18h-18zM188 98h18v18h-18z" />
        <path d="M116 68h60M116 76h60M116 84h60M116 98h28v16h-28zM121 103h18M121 108h12M194 70v18M200 70v18M194 98v18M200 98v18" />
      </>,
    ),
    piece(
      {
        name: 'accelerator pedal with its sensor',
        labels: ['accelerator-pedal-sensor'],
        at: [50, 38],
      },
      <>
        <path d="M46 64L28 108l6 3L54 70z" />
        <path d="M18 102h10l14 36q1 4 -4 4h-6q-4 0 -5 -4zM22 112h10M25 120h10M28 128h10" />
        <path d="M36 38h32v34H36zM68 46h10v12H68z" />
        <circle cx="52" cy="56" r="10" />
        <circle cx="52" cy="56" r="3" />
      </>,
    ),
    piece(
      { name: 'throttle body', labels: ['throttle-body'], at: [302, 34] },
      <>
        <path d="M284 36h36v42h-36zM320 46h12v20h-12zM276 50h8v12h-8z" />
        <circle cx="302" cy="57" r="15" />
        <path d="M302 42v30" />
      </>,
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
