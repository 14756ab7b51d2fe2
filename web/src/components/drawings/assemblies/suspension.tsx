import { piece, type Assembly } from '@/components/drawings/assembly';
import { Cylinder } from '@/components/drawings/solids';

export const DOUBLE_WISHBONE: Assembly = {
  name: 'Double-wishbone suspension',
  pieces: [
    piece(
      { name: 'upper arm', labels: ['upper-control-arm', 'control-arm-bushing'], at: [86, 43] },
      <>
        <path d="M28 34H44L116 48a9 9 0 0 1 0 18L44 80H28V72L78 60v-6L28 42Z" />
        <path d="M20 30h14v16h-14zM20 34h14M20 42h14M20 68h14v16h-14zM20 72h14M20 80h14" />
        <circle cx="116" cy="57" r="4" />
      </>,
    ),
    piece(
      { name: 'lower arm', labels: ['lower-control-arm'], at: [131, 110] },
      <>
        <path d="M22 98H42L130 110a9 9 0 0 1 0 18L42 142H22V134L82 122v-6L22 106Z" />
        <path d="M12 94h16v16h-16zM12 98h16M12 106h16M12 130h16v16h-16zM12 134h16M12 142h16" />
        <path d="M96 106v28" fill="none" />
        <circle cx="130" cy="119" r="4.5" />
      </>,
    ),
    piece(
      { name: 'ball joints', labels: ['ball-joint'], at: [163, 44] },
      <>
        <path d="M151 48q12 -10 24 0zM149 48h28v6h-28zM154 54h18l-4 8h-10zM159 62h8v14h-8zM159 70h8" />
        <path d="M159 88h8v14h-8zM159 92h8M158 102h10l4 8h-18zM149 110h28v6h-28zM151 116q12 10 24 0z" />
      </>,
    ),
    piece(
      { name: 'knuckle', labels: ['steering-knuckle'], at: [206, 36] },
      <>
        <path d="M196 36h20v10l-6 4q2 14 16 18l8 10v24l-10 12h-8l-2 14h-18l-2 -14q-6 -4 -6 -12l-16 -2v-8l16 -4q0 -10 6 -14l2 -24z" />
        <circle cx="212" cy="88" r="14" />
        <circle cx="212" cy="88" r="7" className="fill-canvas" />
      </>,
    ),
    piece(
      { name: 'hub', labels: ['wheel-hub-bearing', 'wheel-stud'], at: [270, 60] },
      <>
        <Cylinder x={252} y={88} r={12} length={16} />
        <Cylinder x={266} y={88} r={28} length={7} />
        <path d="M279 68h10M282 80h10M282 96h10M279 108h10" />
      </>,
    ),
    piece(
      { name: 'shock absorber', labels: ['shock-absorber'], at: [324, 36] },
      <>
        <path d="M321 42h6v22h-6zM313 60h22v44h-22zM316 64v36" />
        <circle cx="324" cy="41" r="6" />
        <circle cx="324" cy="41" r="2" />
        <circle cx="324" cy="110" r="6" />
        <circle cx="324" cy="110" r="2" />
      </>,
    ),
    piece(
      { name: 'torsion bar with its key', labels: ['torsion-bar'], at: [241, 132] },
      <>
        <Cylinder x={176} y={136} r={4} length={130} />
        <Cylinder x={172} y={136} r={6} length={12} />
        <path d="M318 130l28 5v7l-28 2zM336 121h6v15h-6zM333 117h12v5h-12z" />
        <path d="M304 127h14v18h-14z" />
      </>,
    ),
  ],
};
