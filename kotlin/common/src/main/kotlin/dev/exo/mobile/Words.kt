package dev.exo.mobile

// Plain data of the core that reads well as it is. It has no numbers without a sign and no durations of Java's.

/** Kinds of failure, by what the caller can do about them. Stable: names are added, never changed. */
public typealias ErrorKind = dev.exo.mobile.core.ErrorKind

/** What this library is: its version, its backends, the builds of exo and the telemetry protocol that it knows. */
public typealias About = dev.exo.mobile.core.About

/** Who drives a device: Vulkan, Metal or the processor. */
public typealias BackendKind = dev.exo.mobile.core.BackendKind

/** Why a backend, or one of its devices, was not used. */
public typealias Refusal = dev.exo.mobile.core.Refusal

/** How fast a device does one thing. */
public typealias Speed = dev.exo.mobile.core.Speed

/** Who says something in a conversation. */
public typealias Role = dev.exo.mobile.core.Role

/** One message of a conversation. */
public typealias ChatMessage = dev.exo.mobile.core.ChatMessage

/** Why an answer ends: the model had said it all, or had as many tokens as it may. */
public typealias Finish = dev.exo.mobile.core.Finish

/** A way of finding a cluster. */
public typealias Provider = dev.exo.mobile.core.Provider

/** What a way of searching is doing. */
public typealias SearchActivity = dev.exo.mobile.core.Activity

/** What one way of searching did and what came of it. */
public typealias SearchStatus = dev.exo.mobile.core.SearchStatus

/** A model that runs in the cluster. */
public typealias ClusterInstance = dev.exo.mobile.core.ClusterInstance

/** A link between two nodes that exo knows. */
public typealias ClusterLink = dev.exo.mobile.core.ClusterLink

/** Where a value comes from. */
public typealias Source = dev.exo.mobile.core.Source

/** Readings that one look brings together. */
public typealias Group = dev.exo.mobile.core.Group

/** How hard the system looks for memory. */
public typealias Pressure = dev.exo.mobile.core.Pressure

/** How the system calls the heat. */
public typealias ThermalStatus = dev.exo.mobile.core.ThermalStatus

/** What carries a network. */
public typealias NetworkKind = dev.exo.mobile.core.NetworkKind

/** What computes in a device. */
public typealias DeviceType = dev.exo.mobile.core.DeviceType

/** Who a device is, in words for people. */
public typealias Identity = dev.exo.mobile.core.Identity

/** How much a device may work, by its heat. */
public typealias Level = dev.exo.mobile.core.Level

/** Whether work is taken, drained or stopped. */
public typealias WorkState = dev.exo.mobile.core.WorkState

/** What a forecast of heat is in. */
public typealias HeatUnit = dev.exo.mobile.core.HeatUnit

/** Something that the owner can ask for. */
public typealias Rule = dev.exo.mobile.core.Rule

/** What a rule says. */
public typealias RuleVerdict = dev.exo.mobile.core.RuleVerdict

/** One rule that matters now. */
public typealias Reason = dev.exo.mobile.core.Reason

/** Whether a device is there. */
public typealias Presence = dev.exo.mobile.core.Presence

/** What a score is made of. */
public typealias Formula = dev.exo.mobile.core.Formula

/** What a factor of a score is about. */
public typealias Part = dev.exo.mobile.core.Part

/** One part of a score. */
public typealias ScoreFactor = dev.exo.mobile.core.ScoreFactor

/** What a device is worth now. */
public typealias Score = dev.exo.mobile.core.Score

/** What carries a link. */
public typealias LinkKind = dev.exo.mobile.core.LinkKind

/** A figure about a link, and where it comes from. */
public typealias LinkFigure = dev.exo.mobile.core.LinkFigure

/** A link between two devices: seconds, bytes a second, parts of 1. */
public typealias Link = dev.exo.mobile.core.Link

/** A link that holds the cluster back. */
public typealias SlowLink = dev.exo.mobile.core.SlowLink

/** What a plan minimises. */
public typealias Objective = dev.exo.mobile.core.Objective

/** How good a plan is. */
public typealias Status = dev.exo.mobile.core.Status

/** What keeps a device from doing more. */
public typealias Binding = dev.exo.mobile.core.Binding

/** A figure that had to be assumed, and where it comes from instead. */
public typealias Assumption = dev.exo.mobile.core.Assumption

/** How much a line of the log matters. */
public typealias LogLevel = dev.exo.mobile.core.LogLevel
