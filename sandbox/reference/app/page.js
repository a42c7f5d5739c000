import './filter.js';
import './samples.js';
