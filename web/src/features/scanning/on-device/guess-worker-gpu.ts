import * as runtime from 'onnxruntime-web/jspi';
import runtimeUrl from 'onnxruntime-web/ort-wasm-simd-threaded.jspi.wasm?url';
import { answerWith } from '@/features/scanning/on-device/model-session';

/** The worker of a browser with a graphics card: one runtime that computes on either. */
answerWith(runtime, runtimeUrl);
