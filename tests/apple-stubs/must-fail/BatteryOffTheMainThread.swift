// Only the main thread may ask UIDevice. If this compiles, the check sees nothing. What it must say:
// error: main actor-isolated property 'batteryLevel' can not be referenced
import UIKit

func level() -> Float { UIDevice.current.batteryLevel }
