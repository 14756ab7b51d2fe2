import * as runtime from 'onnxruntime-web/wasm';
import runtimeUrl from 'onnxruntime-web/ort-wasm-simd-threaded.wasm?url';
import { answerWith } from '@/features/scanning/on-device/model-session';

/** The worker of a browser without a graphics card for us: the smaller runtime. */
answerWith(runtime, runtimeUrl);
